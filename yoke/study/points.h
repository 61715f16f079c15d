// yoke/study/points.h: what points of a study file begin with, and whether they can be run.
#pragma once
#include <string>
#include <vector>

#include "yoke/study/study_file.h"

namespace yoke::study {

/// A case of the file, or all of a file without cases.
struct PointStart {
  StudyPoint point;        ///< With the flags of the file.
  std::vector<Axis> axes;  ///< Of the file, then of the case; options of a flag after the flags.
};

/// The plan of the file but for its points; hosts of the command line take the place of its own.
StudyPlan plan_without_points(const StudyFile& file, const StudyRequest& request);

/// At least one. `where` is the file. @throws UsageError on a flag that the study sets itself.
std::vector<PointStart> starts_of(const StudyFile& file, const StudyRequest& request,
                                  const std::string& where);

/// @throws UsageError where two points have the same flags, hosts are too few for one, or `check`
/// refuses its flags.
void check_points(const StudyPlan& plan, const StudyRequest& request, const std::string& where,
                  const CheckFlags& check);

/// Nodes, ranks and flags as a text that two points have in common only if they are the same.
std::string identity_of(const StudyPoint& point);

}  // namespace yoke::study
