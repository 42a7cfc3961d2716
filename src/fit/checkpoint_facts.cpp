#include "fit/checkpoint_facts.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <type_traits>

#include "alfcg/core/device.hpp"
#include "alfcg/core/text.hpp"

namespace alfcg {

namespace {

template <class Real>
void add(const DenseFeatures<Real>& features, Digest& digest) {
    for (Index i = 0; i < features.rows(); ++i)
        digest.add(features.row(i), static_cast<std::size_t>(features.cols()) * sizeof(Real));
}

template <class Real>
void add(const SparseFeatures<Real>& features, Digest& digest) {
    const auto entries = static_cast<std::size_t>(features.nonzeros());
    digest.add(features.start.data(), static_cast<std::size_t>(features.rows() + 1) * sizeof(Index));
    constexpr std::size_t together = 4096;
    for (std::size_t k = 0; k < entries; k += together) {
        const auto columns = features.column.part(k, std::min(together, entries - k)).narrow();
        digest.add(columns.data(), columns.size() * sizeof(std::int32_t));
    }
    digest.add(features.value.data(), entries * sizeof(Real));
}

void add(const Labels& labels, Digest& digest) {
    for (Index i = 0; i < labels.size(); ++i) {
        if (labels.numeric()) {
            digest.add(labels.number(i));
        } else {
            digest.add(labels.text(i));
        }
    }
}

// A parameter of a region may be the name of a file, whose contents count.
void add_file(const std::string& path, Digest& digest) {
    std::error_code problem;
    if (!std::filesystem::is_regular_file(path, problem)) return;
    std::ifstream file(path, std::ios::binary);
    std::array<char, 1 << 16> block;
    while (file) {
        file.read(block.data(), block.size());
        digest.add(block.data(), static_cast<std::size_t>(file.gcount()));
    }
}

}  // namespace

template <class Real>
std::vector<Fact> checkpoint_facts(const Problem<Real>& problem) {
    const auto with_parameters = [](std::string text, const Parameters& parameters) {
        for (const auto& [name, value] : parameters.all())
            if (const auto number = parameters.number(name))
                text += " " + name + " " + format_number(*number);
        return text;
    };
    const Dataset<Real>& training = problem.training;
    Digest data;
    std::visit([&](const auto& features) { add(features, data); }, training.features);
    Digest labels;
    add(training.labels, labels);
    for (const std::string& name : problem.classes.names) labels.add(std::string_view(name));
    Digest weights;
    weights.add(training.weights.data(), training.weights.size() * sizeof(double));
    Digest files;
    for (const auto& [name, value] : problem.region.parameters.all())
        if (const auto word = problem.region.parameters.word(name)) add_file(*word, files);
    std::vector<Fact> facts{
        {"loss", with_parameters(problem.loss.name, problem.loss.parameters)},
        {"intercept", problem.intercept ? "fitted" : "none"},
        {"normalize", std::string(to_text(problem.scaling.kind))},
        {"held-out rows", std::to_string(problem.held_out ? rows(problem.held_out->features) : 0)},
        {"patience", std::to_string(problem.patience)},
        {"threads", std::to_string(problem.threads)},
        {"device", problem.device == nullptr ? "cpu" : problem.device->description()},
        {"data", data.text(), true},
        {"labels", labels.text(), true},
        {"weights of the rows", weights.text(), true},
        {"files of the region", files.text(), true}};
    return facts;
}

template std::vector<Fact> checkpoint_facts(const Problem<float>&);
template std::vector<Fact> checkpoint_facts(const Problem<double>&);

}  // namespace alfcg
