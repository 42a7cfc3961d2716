// alfcg as a library: minimise a function of our own over an l_1 ball, then train, save and use a small
// classifier. Exits with 1 when an answer is wrong.
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
    model.loss.kind = alfcg::Loss::logistic;
    const auto objective = alfcg::linear_objective(
        data.features, make_targets(data.labels, model.loss.kind, model.classes), model.loss);
    const auto region = alfcg::lp_ball<float>(2, 10);
    alfcg::Options options;
    options.method = "alfcg-d";
    options.max_iterations = 500;
    alfcg::Result<float> result = alfcg::solve(*objective, *region, options);
    model.weights = result.x;
    model.region = "lp";
    model.p = 2;
    model.radius = 10;
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

}  // namespace

int main() {
    try {
        const bool first = minimise_own_function();
        const bool second = train_classifier();
        return first && second ? 0 : 1;
    } catch (const alfcg::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
