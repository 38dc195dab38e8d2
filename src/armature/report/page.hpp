// One page for people: everything in one file, which asks for nothing else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "armature/record/report.hpp"

namespace armature::report {

/// Returns the page of a report as HTML. Names and texts are data in it, never markup. Long logs are thinned as thinned() does. Throws Error where a
/// channel differs in length from its log's time.
std::string page(const Report& report);

/// A thumbnail in an index of pages.
struct Card {
  std::string name, title;
  std::string link;  // a path below the index: "kostic2004/index.html"
  int held = 0, claims = 0, figures = 0;
  std::string failed{};     // why there is no result; empty: there is one
  Figure figure{};          // may have no series
  std::string equations{};  // in place of the figure; LaTeX
};
/// A page that leads to others.
std::string index_page(const Report& report, const std::vector<Card>& cards);

/// What stands for a report in an index, thinned: a path in its plane, its arm, or else the first plot that there is.
Figure thumbnail(const Report& report);
/// Likewise of a page that leads with equations: the first of them, as LaTeX. Empty: it does not, or they are long.
std::string leading_equations(const Report& report);
/// How many figures its logs ask for, beyond the plots that a page makes of every log.
int figures_in(const Report& report);

/// The template with its two marks, as built from web/.
std::string_view page_template();

}  // namespace armature::report

namespace armature {
using report::page;
}  // namespace armature
