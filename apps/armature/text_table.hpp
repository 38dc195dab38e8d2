// Tables for people: columns as wide as their widest cell.
#pragma once

#include <string>
#include <vector>
#include "armature/core/text.hpp"
#include "names.hpp"

namespace armature::app {

/// Lines of `rows` below `header`, indented by two blanks. Columns of numbers are aligned to the right, others to the
/// left; columns without any content are left out.
std::string text_table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows);

/// `text` broken between words into lines of at most `width` characters, all but the first indented by `indent`. Lines
/// that begin with a blank, as those of a table do, stay as they are.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width = 100);

}  // namespace armature::app
