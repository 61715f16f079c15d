#include "yoke/study/findings/student.h"

#include <boost/math/distributions/students_t.hpp>

namespace yoke::study {

double student_cdf(double t, double freedom) {
  return boost::math::cdf(boost::math::students_t(freedom), t);
}

double student_quantile(double probability, double freedom) {
  return boost::math::quantile(boost::math::students_t(freedom), probability);
}

}  // namespace yoke::study
