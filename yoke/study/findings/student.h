// yoke/study/findings/student.h: Student's t distribution.
#pragma once

namespace yoke::study {

/// Probability of a value up to `t`, not NaN, with `freedom` > 0 degrees of freedom.
double student_cdf(double t, double freedom);

/// The value that student_cdf() takes to `probability`, in (0, 1).
double student_quantile(double probability, double freedom);

}  // namespace yoke::study
