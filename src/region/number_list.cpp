#include "region/number_list.hpp"

#include <string_view>

#include "data/npy.hpp"
#include "region/text_records.hpp"

namespace alfcg::region {

std::vector<double> read_numbers(const std::string& path) {
    ByteSource source(path);
    std::vector<double> numbers;
    if (source.peek(6) == "\x93NUMPY") {
        const ArrayLayout layout = npy_layout(path, read_npy_header(source));
        const DenseFeatures<double> array = read_array<double>(source, layout, 0);
        for (Index i = 0; i < array.rows(); ++i)
            numbers.insert(numbers.end(), array.row(i), array.row(i) + array.cols());
    } else {
        for_each_record(source, [&](Index line, const std::vector<std::string_view>& fields) {
            for (const std::string_view field : fields) numbers.push_back(number_of(path, line, field));
        });
    }
    if (numbers.empty()) throw InputError(path, 0, "has no numbers");
    return numbers;
}

}  // namespace alfcg::region
