#include "data/mapped_file.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "alfcg/core/error.hpp"

namespace alfcg {

namespace {

using nlohmann::json;

constexpr std::string_view end_magic = "ALFCGend";
constexpr std::uint32_t format_version = 1;

struct MappedEnd {
    char magic[8];
    std::uint32_t version;
    std::uint32_t checksum;  // of the description: CRC-32
    std::uint64_t offset;    // of the description
    std::uint64_t bytes;
};
static_assert(sizeof(MappedEnd) == mapped_end_bytes);

std::uint32_t checksum_of(const unsigned char* bytes, std::size_t count) {
    return static_cast<std::uint32_t>(crc32_z(crc32_z(0, nullptr, 0), bytes, count));
}

json to_json(const MappedArray& array) {
    return json::array({array.offset, array.count});
}

MappedArray array_of(const json& value) {
    return {value.at(0).get<std::uint64_t>(), value.at(1).get<std::uint64_t>()};
}

json to_json(const MappedLayout& layout) {
    const Reading& reading = layout.reading;
    return {{"type", layout.type == ElementType::f64 ? "f64" : "f32"},
            {"sparse", layout.sparse},
            {"rows", layout.rows},
            {"cols", layout.cols},
            {"entries", to_json(layout.entries)},
            {"columns", to_json(layout.columns)},
            {"starts", to_json(layout.starts)},
            {"labels", to_json(layout.labels)},
            {"weights", to_json(layout.weights)},
            {"words", layout.words},
            {"classes", layout.classes},
            {"bytes", layout.bytes},
            {"last_feature", layout.last_feature},
            {"names", layout.names},
            {"reading",
             {{"sources", reading.sources},
              {"fill", reading.fill},
              {"label", reading.label},
              {"others", reading.others},
              {"scale", reading.scale}}}};
}

MappedLayout layout_of(const json& value) {
    MappedLayout layout;
    const auto type = value.at("type").get<std::string>();
    if (type != "f32" && type != "f64") throw Error("");
    layout.type = type == "f64" ? ElementType::f64 : ElementType::f32;
    value.at("sparse").get_to(layout.sparse);
    value.at("rows").get_to(layout.rows);
    value.at("cols").get_to(layout.cols);
    layout.entries = array_of(value.at("entries"));
    layout.columns = array_of(value.at("columns"));
    layout.starts = array_of(value.at("starts"));
    layout.labels = array_of(value.at("labels"));
    layout.weights = array_of(value.at("weights"));
    value.at("words").get_to(layout.words);
    value.at("classes").get_to(layout.classes);
    value.at("bytes").get_to(layout.bytes);
    value.at("last_feature").get_to(layout.last_feature);
    value.at("names").get_to(layout.names);
    const json& reading = value.at("reading");
    reading.at("sources").get_to(layout.reading.sources);
    reading.at("fill").get_to(layout.reading.fill);
    reading.at("label").get_to(layout.reading.label);
    reading.at("others").get_to(layout.reading.others);
    reading.at("scale").get_to(layout.reading.scale);
    return layout;
}

// Whether all arrays lie in the first `bytes` of the file and are as long as rows, columns and entries say.
bool fits(const MappedLayout& layout, std::uint64_t bytes) {
    const auto lies_within = [&](const MappedArray& array, std::uint64_t item) {
        return array.offset % item == 0 && array.offset <= bytes &&
               array.count <= (bytes - array.offset) / item;
    };
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max() / 64;
    if (layout.rows == 0 || layout.cols == 0 || layout.rows > most || layout.cols > most) return false;
    const bool sparse_fits = layout.columns.count == layout.entries.count &&
                             layout.starts.count == layout.rows + 1 &&
                             layout.cols <= std::numeric_limits<std::int32_t>::max();
    const bool dense_fits =
        layout.entries.count / layout.cols == layout.rows && layout.entries.count % layout.cols == 0;
    const auto per_row = [&](const MappedArray& array) {
        return array.count == 0 || array.count == layout.rows;
    };
    return (layout.sparse ? sparse_fits : dense_fits) && per_row(layout.labels) && per_row(layout.weights) &&
           lies_within(layout.entries, element_bytes(layout.type)) &&
           lies_within(layout.columns, sizeof(std::int32_t)) && lies_within(layout.starts, sizeof(Index)) &&
           lies_within(layout.labels, layout.words.empty() ? sizeof(double) : sizeof(std::int32_t)) &&
           lies_within(layout.weights, sizeof(double)) &&
           (layout.names.empty() || layout.names.size() == layout.cols);
}

}  // namespace

void write_description(const MappedLayout& layout, std::uint64_t file_bytes, OutputFile& file) {
    const std::vector<std::uint8_t> text = json::to_cbor(to_json(layout));
    MappedEnd end{};
    std::memcpy(end.magic, end_magic.data(), sizeof end.magic);
    end.version = format_version;
    end.checksum = checksum_of(text.data(), text.size());
    end.offset = file_bytes;
    end.bytes = text.size();
    file.write(text.data(), text.size());
    file.write(&end, sizeof end);
}

bool is_mapped_end(std::string_view last_bytes) {
    return last_bytes.size() == mapped_end_bytes && last_bytes.starts_with(end_magic);
}

MappedLayout read_description(const std::string& path, const unsigned char* file, std::uint64_t file_bytes) {
    MappedEnd end{};
    const bool has_end = file_bytes >= sizeof end;
    if (has_end) std::memcpy(&end, file + file_bytes - sizeof end, sizeof end);
    if (!has_end || std::string_view(end.magic, sizeof end.magic) != end_magic) {
        const bool begun = file_bytes >= sparse_magic.size() &&
                           is_sparse_mapped({reinterpret_cast<const char*>(file), sparse_magic.size()});
        throw InputError(path, 0,
                         begun ? "truncated: the end of the converted file is missing"
                               : "not a converted file (what alfcg convert writes)");
    }
    if (end.version != format_version)
        throw InputError(path, 0,
                         fmt::format("a converted file of version {}; this program reads version {}: convert "
                                     "the data again",
                                     end.version, format_version));
    const InputError damaged(path, 0,
                             "damaged: the description at the end of the converted file is not whole");
    if (end.offset > file_bytes - sizeof end || end.bytes != file_bytes - sizeof end - end.offset ||
        checksum_of(file + end.offset, end.bytes) != end.checksum)
        throw damaged;
    MappedLayout layout;
    try {
        layout = layout_of(json::from_cbor(file + end.offset, file + end.offset + end.bytes));
    } catch (const std::exception&) {
        throw damaged;
    }
    if (!fits(layout, end.offset)) throw damaged;
    return layout;
}

}  // namespace alfcg
