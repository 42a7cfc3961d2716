// write_sample_pages FOLDER: comparison.html, reproduction.html, hostile.html and figure.svg, for the browser test and for
// looking at.
#include <filesystem>
#include <fstream>
#include <iostream>

#include "report/page.hpp"
#include "report/svg_figure.hpp"
#include "sample_report.hpp"

int main(int count, char** arguments) {
    if (count != 2) {
        std::cerr << "usage: write_sample_pages FOLDER\n";
        return 2;
    }
    const std::filesystem::path folder = arguments[1];
    std::filesystem::create_directories(folder);
    const nlohmann::json comparison = alfcg::sample_comparison();
    std::ofstream(folder / "comparison.html") << alfcg::report_page(comparison);
    std::ofstream(folder / "reproduction.html") << alfcg::report_page(alfcg::sample_reproduction());
    std::ofstream(folder / "hostile.html") << alfcg::report_page(alfcg::hostile_comparison());
    std::ofstream(folder / "figure.svg")
        << alfcg::svg_figure(comparison["figures"][0]["panels"][0], "suboptimality", "epochs");
    return 0;
}
