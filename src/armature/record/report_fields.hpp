// Every field of a report, listed once. report.json is written and read by this list (formats/report_json.cpp), the data inside a page
// are written by it (report/page.cpp), and web/src/data.ts, which declares them to the scripts of the page, is generated from it.
//
// A visitor is called as v(key, field), or v(key, field, words) for an enumeration with one word per value.
#pragma once

#include <concepts>

#include "armature/record/report.hpp"

namespace armature::record {

/// T is the struct U, to be read or to be written.
template <class T, class U>
concept Either = std::same_as<T, U> || std::same_as<T, const U>;

template <class V, Either<LogEvent> T>
void fields(V& v, T& event) {
  v("time", event.time);
  v("kind", event.kind);
  v("detail", event.detail);
}
template <class V, Either<LogTable> T>
void fields(V& v, T& table) {
  v("title", table.title);
  v("header", table.header);
  v("rows", table.rows);
}
template <class V, Either<Spectrum> T>
void fields(V& v, T& spectrum) {
  v("name", spectrum.name);
  v("figure", spectrum.figure);
  v("input", spectrum.input);
  v("output", spectrum.output);
  v("unit", spectrum.unit);
  v("frequency", spectrum.frequency);
  v("response", spectrum.response);
  v("coherence", spectrum.coherence);
}
template <class V, Either<LogText> T>
void fields(V& v, T& text) {
  v("kind", text.kind, {"markdown", "latex"});
  v("title", text.title);
  v("text", text.text);
}
template <class V, Either<TimeFigure> T>
void fields(V& v, T& figure) {
  v("name", figure.name);
  v("title", figure.title);
  v("channels", figure.channels);
  v("caption", figure.caption);
}
template <class V, Either<FigureAxis> T>
void fields(V& v, T& axis) {
  v("label", axis.label);
  v("unit", axis.unit);
  v("logarithmic", axis.logarithmic);
  v("categories", axis.categories);
}
template <class V, Either<FigureSeries> T>
void fields(V& v, T& series) {
  v("name", series.name);
  v("style", series.style, {"line", "points", "both", "bars"});
  v("x", series.x);
  v("y", series.y);
  v("low", series.low);
  v("high", series.high);
}
template <class V, Either<Figure> T>
void fields(V& v, T& figure) {
  v("name", figure.name);
  v("title", figure.title);
  v("x", figure.x);
  v("y", figure.y);
  v("series", figure.series);
  v("equal_scale", figure.equal_scale);
  v("caption", figure.caption);
}
template <class V, Either<MatrixFigure> T>
void fields(V& v, T& matrix) {
  v("name", matrix.name);
  v("title", matrix.title);
  v("rows", matrix.rows);
  v("columns", matrix.columns);
  v("values", matrix.values);
  v("low", matrix.low);
  v("high", matrix.high);
  v("caption", matrix.caption);
}
template <class V, Either<SceneShape> T>
void fields(V& v, T& shape) {
  v("kind", shape.kind, {"box", "cylinder", "sphere", "mesh"});
  v("size", shape.size);
  v("position", shape.position);
  v("turn", shape.turn);
  v("colour", shape.colour);
  v("mesh", shape.mesh);
}
template <class V, Either<SceneMeshPart> T>
void fields(V& v, T& part) {
  v("colour", part.colour);
  v("low", part.low);
  v("size", part.size);
  v("points", part.points);
  v("triangles", part.triangles);
}
template <class V, Either<SceneMesh> T>
void fields(V& v, T& mesh) {
  v("name", mesh.name);
  v("parts", mesh.parts);
}
template <class V, Either<SceneFrame> T>
void fields(V& v, T& frame) {
  v("name", frame.name);
  v("parent", frame.parent);
  v("channels", frame.channels);
  v("position", frame.position);
  v("turn", frame.turn);
  v("joint", frame.joint);
  v("reference", frame.reference);
  v("slides", frame.slides);
  v("ellipsoid_centre", frame.ellipsoid_centre);
  v("ellipsoid_axes", frame.ellipsoid_axes);
  v("ellipsoid_turn", frame.ellipsoid_turn);
  v("shapes", frame.shapes);
}
template <class V, Either<SceneArrow> T>
void fields(V& v, T& arrow) {
  v("name", arrow.name);
  v("frame", arrow.frame);
  v("channels", arrow.channels);
}
template <class V, Either<ScenePlane> T>
void fields(V& v, T& plane) {
  v("name", plane.name);
  v("point", plane.point);
  v("normal", plane.normal);
}
template <class V, Either<Claim> T>
void fields(V& v, T& claim) {
  v("id", claim.id);
  v("says", claim.says);
  v("paper", claim.paper);
  v("ours", claim.ours);
  v("holds", claim.holds);
  v("remark", claim.remark);
}
template <class V, Either<ChannelLimit> T>
void fields(V& v, T& limit) {
  v("channel", limit.channel);
  v("value", limit.value);
  v("upper", limit.upper);
}

/// What a log's CSV file says of itself above its rows.
template <class V, Either<Log> T>
void heading_fields(V& v, T& log) {
  v("title", log.title);
  v("facts", log.facts);
  v("events", log.events);
  v("incomplete", log.incomplete);
}
/// What is not in the log's CSV file.
template <class V, Either<Log> T>
void fields(V& v, T& log) {
  v("time_figures", log.time_figures);
  v("figures", log.figures);
  v("matrices", log.matrices);
  v("spectra", log.spectra);
  v("tables", log.tables);
  v("texts", log.texts);
  v("scene", log.scene);
  v("arrows", log.arrows);
  v("planes", log.planes);
  v("limits", log.limits);
}

/// All but its logs.
template <class V, Either<Report> T>
void fields(V& v, T& report) {
  v("kind", report.kind);
  v("title", report.title);
  v("subtitle", report.subtitle);
  v("facts", report.facts);
  v("claims", report.claims);
  v("meshes", report.meshes);
}

}  // namespace armature::record
