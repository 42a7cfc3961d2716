#include "alfcg/method/batch_file.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>

#include "alfcg/core/error.hpp"

namespace alfcg {

std::vector<std::vector<Index>> read_batches(const std::string& path, Index samples) {
    if (std::filesystem::is_directory(path))
        throw InputError(path, 0, "is a directory, not a file of batches");
    std::ifstream file(path);
    if (!file) throw InputError(path, 0, "cannot open the file of batches");
    std::vector<std::vector<Index>> batches;
    std::string line;
    for (std::int64_t number = 1; std::getline(file, line); ++number) {
        const char* at = line.data();
        const char* end = at + line.size();
        std::vector<Index> batch;
        const auto blank = [](char c) { return c == ' ' || c == '\t' || c == ',' || c == '\r'; };
        while (true) {
            while (at < end && blank(*at)) ++at;
            if (at == end) break;
            Index row = 0;
            const auto [rest, error] = std::from_chars(at, end, row);
            if (error != std::errc() || row < 0 || (rest < end && !blank(*rest))) {
                throw InputError(path, number,
                                 "a batch is a line of row numbers (0, 1, 2, ...) separated by spaces");
            }
            if (row >= samples) {
                throw InputError(path, number,
                                 "row " + std::to_string(row) + " does not exist: rows go from 0 to " +
                                     std::to_string(samples - 1));
            }
            batch.push_back(row);
            at = rest;
        }
        if (batch.empty())
            throw InputError(path, number, "empty line: every draw needs at least one row number");
        batches.push_back(std::move(batch));
    }
    if (file.bad()) throw InputError(path, 0, "cannot read the file of batches");
    return batches;
}

std::string batch_line(std::span<const Index> batch) {
    std::string line;
    for (const Index row : batch) {
        if (!line.empty()) line += ' ';
        line += std::to_string(row);
    }
    return line + '\n';
}

}  // namespace alfcg
