#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "alfcg/core/device.hpp"
#include "alfcg/core/error.hpp"
#include "core/team.hpp"
#include "core/threads.hpp"
#include "data/memory.hpp"
#include "fit/choose_device.hpp"
#include "fit/row_weights.hpp"
#include "fit/specification.hpp"
#include "model/storable.hpp"

namespace alfcg {

namespace {

// One rank needs nobody to agree with.
Ranks* ranks_of(const Specification& specification) {
    return specification.ranks != nullptr && specification.ranks->size() > 1 ? specification.ranks : nullptr;
}

// The targets of the rows; labels that the loss cannot use are told with the name of the data.
template <class Real>
Targets targets_of(const Dataset<Real>& data, const std::string& loss, Classes& classes, Ranks* ranks) {
    try {
        return make_targets(data.labels, loss, classes, ranks);
    } catch (const Error& error) {
        throw InputError(data.name, 0, error.what());
    }
}

// What a run keeps of the size of x: the iterate, gradients, a vertex, one share per thread.
template <class Real>
void check_weights(const std::string& name, Shape shape, int threads) {
    const std::string remedy =
        shape.rows == 1
            ? "fewer features (`features`) are needed"
            : fmt::format(
                  "the labels are {} classes: fewer of them are needed, or fewer features (`features`); "
                  "numbers to predict are for `loss` squared",
                  shape.rows);
    check_memory(name, static_cast<double>(shape.rows) * static_cast<double>(shape.cols),
                 sizeof(Real) * (6.0 + threads),
                 fmt::format("a model of {} x {} weights needs", shape.rows, shape.cols), remedy);
}

// The loss that was asked for, or the one that suits the labels.
template <class Real>
void choose_loss(Problem<Real>& problem, const Specification& specification) {
    problem.loss = specification.loss;
    if (problem.loss.name.empty()) {
        const LossChoice choice =
            choose_loss(problem.training.labels, problem.training.classes, problem.ranks);
        problem.loss.name = choice.name;
        problem.loss_reason = choice.reason;
    }
    verify(problem.loss);
}

// Arrays that ranks have of their own may differ where those of one file cannot.
template <class Real>
void agree_on_form(Dataset<Real>& data, Ranks* ranks) {
    if (ranks == nullptr) return;
    struct Form {
        Index rows;
        Index cols;
        bool numeric;
        bool weighted;
    };
    const Form own{rows(data.features), cols(data.features), data.labels.numeric(), !data.weights.empty()};
    const std::vector<Form> forms = ranks->gather(own);
    for (std::size_t k = 1; k < forms.size(); ++k) {
        if (forms[k].cols != forms[0].cols)
            throw Error(fmt::format("{}: rank {} has {} features, rank 0 {}", data.name, k, forms[k].cols,
                                    forms[0].cols));
        if (forms[k].weighted != forms[0].weighted && forms[k].rows > 0 && forms[0].rows > 0)
            throw Error(fmt::format("{}: either all ranks have weights, or none", data.name));
    }
    if (std::any_of(forms.begin(), forms.end(), [](const Form& form) { return !form.numeric; }))
        data.labels.name_numbers();
}

// Before anything is read: nobody waits for data to learn that there is no GPU. One rank among several computes on the CPU.
std::shared_ptr<Device> device_of(const Specification& specification) {
    return ranks_of(specification) != nullptr ? nullptr : open_device(specification.device);
}

template <class Real>
Problem<Real> make_problem(Dataset<Real> data, const Specification& specification,
                           std::shared_ptr<Device> device) {
    Problem<Real> problem;
    problem.threads = resolve_threads(specification.threads);
    problem.ranks = ranks_of(specification);
    problem.device = std::move(device);
    Ranks* const ranks = problem.ranks;
    if (ranks != nullptr) {
        // What all ranks compute for themselves is to be the same to the bit.
        const std::vector<int> threads = ranks->gather(problem.threads);
        problem.threads = *std::min_element(threads.begin(), threads.end());
    }
    problem.parts = specification.reproducible ? reproducible_parts : problem.threads;
    const TeamLimit limit(problem.threads);
    problem.patience = specification.patience;
    problem.training = std::move(data);
    Dataset<Real>& training = problem.training;
    agree_on_form(training, ranks);
    if (sum_over(ranks, static_cast<double>(training.labels.size())) == 0)
        throw InputError(training.name, 0, "labels are needed to learn from");
    choose_loss(problem, specification);
    if (specification.class_weights.any() && !loss_info(problem.loss.name).classifies())
        throw QuantityError("class-weights", fmt::format("is for classes, which the {} loss does not have",
                                                         problem.loss.name));
    // Rows of weight 0 are as if absent: nothing is concluded from them.
    agree(ranks, [&] {
        if (std::any_of(training.weights.begin(), training.weights.end(), [](double w) { return w == 0; }))
            check_copies(training, specification, "weights");
    });
    if (weigh(training, specification.class_weights, ranks)) choose_loss(problem, specification);
    problem.intercept = specification.intercept;
    Targets targets = targets_of(training, problem.loss.name, problem.classes, ranks);
    if (const std::string fault = find_fault_in_names(problem.classes, training.names, training.reading);
        !fault.empty())
        throw InputError(training.name, 0, "no model can be made of it: " + fault);
    problem.region = complete(specification.region, targets.outputs > 1 ? "nuclear" : "l1");
    if (specification.hold_out > 0) {
        agree(ranks, [&] { check_copies(training, specification, "holdout"); });
        problem.held_out = hold_out(training, specification.hold_out, specification.options.seed, ranks);
        // The classes are those of the rows that train; a class seen only in the held-out part cannot be
        // learned.
        targets = targets_of(training, problem.loss.name, problem.classes, ranks);
    }
    if (specification.class_weights.balanced) balance(training, problem.classes, ranks);
    targets.weights = training.weights;
    check_weights<Real>(training.name, {targets.outputs, cols(training.features)}, problem.parts);
    problem.setting = {problem.parts, training.names, {}};
    if (targets.outputs > 1) problem.setting.outputs = problem.classes.names;
    const auto region = problem.new_region();
    region->check({targets.outputs, cols(training.features)});
    problem.region_text = region->describe();
    if (specification.normalization != Normalization::none)
        agree(ranks, [&] { check_copies(training, specification, "normalize"); });
    problem.scaling = measure_scaling(training.features, specification.normalization, problem.parts,
                                      training.weights, ranks);
    agree(ranks,
          [&] { training.features = scaled(std::move(training.features), problem.scaling, problem.parts); });
    const auto make = [&](const std::shared_ptr<Device>& where) {
        return linear_objective(training.features, targets, problem.loss, problem.parts,
                                specification.intercept, specification.options.memory, ranks, where);
    };
    try {
        if (problem.device != nullptr && specification.device == "auto")
            choose_device<Real>(problem, specification.options, make);
        problem.objective = make(problem.device);
    } catch (const QuantityError&) {
        throw;
    } catch (const Error& error) {
        throw InputError(training.name, 0, error.what());
    }
    return problem;
}

}  // namespace

template <class Real>
std::unique_ptr<Region<Real>> Problem<Real>::new_region() const {
    return make_region<Real>(region, setting);
}

template <class Real>
Dataset<Real> load(const Data& data, const Specification& specification) {
    const int threads = resolve_threads(specification.threads);
    if (const auto* file = std::get_if<FileData>(&data)) {
        ReadOptions read = file->read;
        read.threads = threads;
        read.ranks = ranks_of(specification);
        std::vector<std::string> sources{file->source};
        sources.insert(sources.end(), file->more.begin(), file->more.end());
        return load_dataset<Real>(sources, read);
    }
    const auto& arrays = std::get<ArrayData>(data);
    Dataset<Real> dataset;
    agree(ranks_of(specification), [&] {
        dataset = dataset_of<Real>(arrays.features, arrays.labels, arrays.name, threads);
        const Labels weights = labels_of(arrays.weights, arrays.name);
        for (Index i = 0; i < weights.size(); ++i) dataset.weights.push_back(weights.number(i));
    });
    return dataset;
}

template <class Real>
Problem<Real> prepare(const Data& data, const Specification& specification) {
    specification.verify();
    auto device = device_of(specification);
    return make_problem(load<Real>(data, specification), specification, std::move(device));
}

template <class Real>
Problem<Real> prepare(Dataset<Real> data, const Specification& specification) {
    specification.verify();
    return make_problem(std::move(data), specification, device_of(specification));
}

template struct Problem<float>;
template struct Problem<double>;
template Dataset<float> load(const Data&, const Specification&);
template Dataset<double> load(const Data&, const Specification&);
template Problem<float> prepare(const Data&, const Specification&);
template Problem<double> prepare(const Data&, const Specification&);
template Problem<float> prepare(Dataset<float>, const Specification&);
template Problem<double> prepare(Dataset<double>, const Specification&);

}  // namespace alfcg
