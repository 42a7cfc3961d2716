#pragma once

#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "alfcg/core/output_file.hpp"
#include "alfcg/model/model.hpp"
#include "core/npy.hpp"
#include "data/archive.hpp"

namespace alfcg {

/// Three classes, five features, every field away from its default.
template <class Real>
Model<Real> example_model() {
    Model<Real> model;
    model.weights = Matrix<Real>(3, 5);
    for (Index i = 0; i < 15; ++i)
        model.weights.span()[static_cast<std::size_t>(i)] =
            static_cast<Real>(0.1 * static_cast<double>(i) - 0.7);
    model.intercept = {0.5, -1, 1e-3};
    model.names = {"a", "b c", "\xC3\xA9", "b=", "b=x=y"};
    model.reading = {{"a", "b c", "\xC3\xA9", "b", "b"}, {0, 1, -2.5, 0, 0}, "kind", {"id", ""}, 255};
    model.classes = {{"-1", "0", "12"}, {-1, 0, 12}};
    model.loss = {"multinomial", {}};
    model.scaling = {Normalization::columns, {1, 0.5, 1e-3, 3, 1e10}};
    model.region = {
        "lp", {{"p", std::numeric_limits<double>::infinity()}, {"radius", 10}}, {0.1, 0.25, 1e-3, 0.5, 2}};
    model.method = "alfcg-mvr2";
    model.training = {120, 0.75};
    model.held_out = {30, 0.5};
    return model;
}

template <class Real>
bool same(const Model<Real>& a, const Model<Real>& b) {
    const auto as_list = [](const Matrix<Real>& matrix) {
        return std::vector<Real>(matrix.span().begin(), matrix.span().end());
    };
    return a.weights.shape() == b.weights.shape() && as_list(a.weights) == as_list(b.weights) &&
           a.intercept == b.intercept && a.names == b.names && a.reading == b.reading &&
           a.classes.names == b.classes.names && a.classes.values == b.classes.values && a.loss == b.loss &&
           a.scaling.kind == b.scaling.kind && a.scaling.divisors == b.scaling.divisors &&
           a.region == b.region && a.method == b.method && a.training == b.training &&
           a.held_out == b.held_out;
}

/// The entries of an archive by name, to be changed and packed again with right sizes and checksums.
using Entries = std::map<std::string, std::string>;

inline const std::vector<std::string>& entry_names() {
    static const std::vector<std::string> names{"format_version",
                                                "alfcg_version",
                                                "weights",
                                                "intercept",
                                                "feature_names",
                                                "feature_columns",
                                                "fill",
                                                "scale",
                                                "label_name",
                                                "other_columns",
                                                "classes",
                                                "loss",
                                                "loss_threshold",
                                                "loss_width",
                                                "normalization",
                                                "divisors",
                                                "region",
                                                "p",
                                                "radius",
                                                "l1",
                                                "l2",
                                                "nuclear",
                                                "norm",
                                                "entropy",
                                                "region_parameters",
                                                "method",
                                                "train_rows",
                                                "train_score",
                                                "holdout_rows",
                                                "holdout_score"};
    return names;
}

inline Entries unpack(const std::string& path) {
    const ArchiveReader archive(path);
    Entries entries;
    for (const std::string& name : entry_names()) {
        const auto entry = archive.find(name + ".npy");
        if (!entry.has_value()) continue;
        const Buffer<unsigned char> bytes = archive.read(*entry);
        entries[name].assign(bytes.begin(), bytes.end());
    }
    return entries;
}

inline void pack(const Entries& entries, const std::string& path) {
    OutputFile file(path);
    ArchiveWriter archive(file);
    for (const auto& [name, bytes] : entries) archive.add(name + ".npy", bytes);
    archive.finish();
    file.commit();
}

/// example_model<float>() in an archive that uses the 64-bit fields throughout, as one beyond 4 GiB does.
inline const std::string wide_archive = ALFCG_SOURCE_DIR "/tests/models/wide.npz";

/// An array as NumPy stores it.
template <class Number>
std::string array(const std::string& dtype, const std::vector<std::int64_t>& shape,
                  const std::vector<Number>& entries, bool fortran_order = false) {
    std::string bytes = encode_npy_header({dtype, fortran_order, shape, 0});
    bytes.append(reinterpret_cast<const char*>(entries.data()), entries.size() * sizeof(Number));
    return bytes;
}

/// A Python that has NumPy: the default one, or Debian's; nothing when neither has.
inline std::optional<std::string> python_with_numpy() {
    for (const std::string program : {"python3", "/usr/bin/python3"})
        if (std::system((program + " -c 'import numpy' 2>/dev/null").c_str()) == 0) return program;
    return std::nullopt;
}

}  // namespace alfcg
