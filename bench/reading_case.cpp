#include <filesystem>

#include "problem.hpp"

namespace alfcg::bench {

template <class Real>
Case reading_case(Arguments& arguments) {
    const std::string path = arguments.text("data", "");
    const std::string folder = arguments.text("dump", "");
    ReadOptions options;
    options.features = arguments.integer("features", 0);
    options.threads = static_cast<int>(arguments.integer("threads", 0));
    Case result;
    {
        const Problem<Real> problem(arguments);
        result.facts = problem.facts();
        if (!folder.empty()) problem.dump(folder);
    }
    result.facts["file_bytes"] = std::filesystem::file_size(path);
    result.measures["read"] = [=] {
        Dataset<Real> data;
        return Timing{seconds_of([&] { data = load_dataset<Real>(path, options); })};
    };
    return result;
}

template Case reading_case<float>(Arguments&);
template Case reading_case<double>(Arguments&);

}  // namespace alfcg::bench
