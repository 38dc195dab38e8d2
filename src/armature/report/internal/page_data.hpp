// What a page carries: a report, its logs thinned to what a screen can show, and cards that lead to other pages. The fields that are
// not those of the report (record/report_fields.hpp) are listed here; web/src/data.ts is generated from both lists.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "armature/record/report_fields.hpp"
#include "armature/report/page.hpp"

namespace armature::report {

using record::Either;

/// Numbers that are sent to the page with all their digits.
struct ExactNumbers {
  std::vector<double> values;
};

struct PageChannel {
  std::string name, unit;
  std::vector<double> values;
  std::vector<double> samples{};  // one true sample per row, where `values` holds extremes of thinned data
};
template <class V, Either<PageChannel> T>
void fields(V& v, T& channel) {
  v("name", channel.name);
  v("unit", channel.unit);
  v("values", channel.values);
  v("samples", channel.samples);
}

struct PageLog {
  const Log* log = nullptr;         // what is not listed here is sent as it is
  std::size_t rows = 0, shown = 0;  // of the log, and of them in the page
  ExactNumbers time{};              // [s]
  std::vector<PageChannel> channels{};
};
template <class V, Either<PageLog> T>
void fields(V& v, T& log) {
  heading_fields(v, *log.log);
  v("rows", log.rows);
  v("shown", log.shown);
  v("time", log.time);
  v("channels", log.channels);
  fields(v, *log.log);
}

template <class V, Either<Card> T>
void fields(V& v, T& card) {
  v("name", card.name);
  v("title", card.title);
  v("link", card.link);
  v("held", card.held);
  v("claims", card.claims);
  v("figures", card.figures);
  v("failed", card.failed);
  v("figure", card.figure);
  v("equations", card.equations);
}

struct PageData {
  const Report* report = nullptr;
  std::vector<PageLog> logs{};
  std::vector<Card> cards{};
};
template <class V, Either<PageData> T>
void fields(V& v, T& page) {
  fields(v, *page.report);
  v("logs", page.logs);
  v("cards", page.cards);
}

}  // namespace armature::report
