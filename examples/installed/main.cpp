// alfcg as a library: minimise a function of our own over an l_1 ball, train, save and use a small classifier, and fit
// arrays of our own in one call. Exits with 1 when an answer is wrong.
#include <alfcg/alfcg.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace {

bool check(bool right, const char* what) {
    std::printf("%s: %s\n", what, right ? "right" : "WRONG");
    return right;
}

/// min ½‖x − c‖² over ‖x‖₁ ≤ 1 with c = (1, 0.6, 0) is the projection of c: every entry shrinks by 0.3.
bool minimise_own_function() {
    const std::vector<double> centre{1, 0.6, 0};
    const std::vector<double> solution{0.7, 0.3, 0};
    const auto objective =
        alfcg::custom_objective<double>({1, 3}, [&](std::span<const double> x, std::span<double> gradient) {
            double value = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                gradient[i] = x[i] - centre[i];
                value += gradient[i] * gradient[i] / 2;
            }
            return value;
        });
    const auto region = alfcg::lp_ball<double>(1, 1);
    alfcg::Options options;
    options.method = "alfcg-d";
    options.max_iterations = 20000;
    options.gap = 1e-4;
    const alfcg::Result<double> result = alfcg::solve(*objective, *region, options);

    double distance = 0;
    for (std::size_t i = 0; i < 3; ++i)
        distance = std::max(distance, std::abs(result.x.span()[i] - solution[i]));
    const double smallest = (0.3 * 0.3 + 0.3 * 0.3) / 2;
    std::printf("x = (%.4f, %.4f, %.4f), F = %.6f, gap = %.1e, %s after %lld iterations\n", result.x(0, 0),
                result.x(0, 1), result.x(0, 2), result.metrics.objective, result.metrics.gap,
                std::string(to_text(result.status)).c_str(), static_cast<long long>(result.iterations));
    // ½‖x − x*‖² ≤ F(x) − F* ≤ gap for this f.
    return check(distance * distance / 2 <= result.metrics.gap + 1e-12 && result.metrics.gap <= 1e-4,
                 "the minimiser") &&
           check(result.metrics.objective - smallest <= result.metrics.gap + 1e-12, "the certificate");
}

/// Points on a ring around the origin, labelled by the side of the line x + y = 0 they lie on.
alfcg::Dataset<float> points(int count, double first_angle) {
    alfcg::Buffer<float> entries;
    alfcg::Dataset<float> data;
    for (int i = 0; i < count; ++i) {
        const double angle = first_angle + 6.283185307179586 * i / count;
        entries.push_back(static_cast<float>(std::cos(angle)));
        entries.push_back(static_cast<float>(std::sin(angle)));
        data.labels.push(std::cos(angle) + std::sin(angle) > 0 ? "above" : "below");
    }
    data.name = "ring";
    data.features = alfcg::DenseFeatures<float>(std::move(entries), count, 2);
    return data;
}

bool train_classifier() {
    const alfcg::Dataset<float> data = points(200, 0.01);
    alfcg::Model<float> model;
    model.loss.name = "logistic";
    const auto objective = alfcg::linear_objective(
        data.features, make_targets(data.labels, model.loss.name, model.classes), model.loss);
    const auto region = alfcg::lp_ball<float>(2, 10);
    alfcg::Options options;
    options.method = "alfcg-d";
    options.max_iterations = 500;
    alfcg::Result<float> result = alfcg::solve(*objective, *region, options);
    model.weights = result.x;
    model.region = {"lp", {{"p", 2}, {"radius", 10}}, {}};
    model.method = options.method;

    const std::string file = (std::filesystem::temp_directory_path() / "alfcg-example.model.npz").string();
    save_model(model, file);
    const auto again = alfcg::load_model<float>(file);
    std::filesystem::remove(file);

    alfcg::Dataset<float> unseen = points(100, 0.02);
    const alfcg::Predictions answers = predict(again, unseen, false, 1);
    std::printf("%lld of 100 new points right\n", static_cast<long long>(answers.correct));
    return check(answers.correct >= 99, "the classifier");
}

/// y = 3 x_0 − 2 x_2 exactly, in rows of four numbers of which the last is not ours: both weights are found.
bool fit_arrays() {
    std::vector<double> rows;
    std::vector<double> targets;
    for (int i = 0; i < 50; ++i) {
        const double x[] = {std::sin(1.0 * i), std::cos(2.0 * i), std::sin(3.0 * i)};
        rows.insert(rows.end(), {x[0], x[1], x[2], 1e9});
        targets.push_back(3 * x[0] - 2 * x[2]);
    }
    alfcg::Specification specification;
    specification.region = {"l2", {{"radius", 10}}, {}};
    specification.options.method = "fw-armijo";
    specification.options.max_epochs = 2000;
    specification.options.gap = 1e-6;
    const auto [model, report] =
        alfcg::fit<double>(alfcg::ArrayData{alfcg::DenseView(rows.data(), 50, 3, 4), targets}, specification);
    std::printf("w = (%.3f, %.3f, %.3f), %s\n", model.weights(0, 0), model.weights(0, 1), model.weights(0, 2),
                std::string(to_text(report.status)).c_str());
    return check(report.training.value() < 1e-5, "the fit") &&
           check(std::abs(model.weights(0, 0) - 3) < 0.01 && std::abs(model.weights(0, 2) + 2) < 0.01,
                 "its weights");
}

}  // namespace

int main() {
    try {
        const bool first = minimise_own_function();
        const bool second = train_classifier();
        const bool third = fit_arrays();
        return first && second && third ? 0 : 1;
    } catch (const alfcg::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
