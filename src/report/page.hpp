// The report page: one self-contained HTML file that opens offline.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace alfcg {

/// The page for a report. The report's keys (those marked ? may be left out):
///
///   title, command            text; command is shown as given, with a copy button
///   version?, created?        text
///   facts?                    [[name, text], ...]
///   view?                     {"quantity"?, "axis"?}: what is shown first, else "suboptimality" and "epochs"
///   figures?                  [figure, ...]
///   pictures?                 [{"title", "note"?, "svg"}, ...]: drawn already (picture_markup), put in as they are
///   tables?                   [table, ...]
///   notes?                    [paragraph, ...]
///
///   figure    title, note?, panels: [panel, ...], columns? (panels side by side on a wide screen, else 1),
///             quantity? (fixes what this figure shows, whatever the page's switch says),
///             short? (its name in the list of contents, else the title up to a colon; for tables as well)
///   panel     title, note?, curves: [curve, ...], best? (the level that is subtracted, else the lowest
///             objective of the panel). A panel without curves shows its note in the place of a plot.
///   curve     method, setting?, emphasis?, runs: [run, ...] (one per seed)
///   run       iteration, epochs, seconds, objective: arrays of one length; gap?, error?: the same;
///             seed?, status?. An entry that is null (or not finite) is skipped.
///   table     title, note?, columns: [column, ...], rows: [[cell, ...], ...]
///   column    name, type? ("text", "number" or "method": with the method's line beside it),
///             digits? (significant, else 5), best? ("min" or "max": the best number is set in bold)
///   cell      text, number or null; or {"text", "value"?, "mark"?}: text is shown, value is sorted by,
///             mark is "good", "bad" or "neutral" (a verdict)
///
/// quantity: "suboptimality" (objective minus best), "gap" or "error". axis: "seconds", "epochs" or
/// "iterations". The curves in the page are thinned and rounded to keep it small; the page says so. Throws
/// Error for a report that does not follow this.
std::string report_page(const nlohmann::json& report);

}  // namespace alfcg
