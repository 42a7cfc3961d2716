#include "region/table_file.hpp"

#include "data/byte_source.hpp"
#include "data/formats.hpp"
#include "data/text_buffer.hpp"

namespace alfcg::region {

namespace {

bool has_label_column(const std::string& path) {
    ByteSource source(path);
    const FormatRow* format = recognize_bytes(source);
    if (format != nullptr) return format->labels == LabelPlace::column;
    TextBuffer text(source);
    return recognize_text(text.sample()).labels == LabelPlace::column;
}

}  // namespace

template <class Real>
Dataset<Real> read_table(const std::string& path, int threads) {
    ReadOptions options;
    if (has_label_column(path)) options.label_column = "none";
    options.labels_required = false;
    options.threads = threads;
    return load_dataset<Real>(path, options);
}

template Dataset<float> read_table(const std::string&, int);
template Dataset<double> read_table(const std::string&, int);

}  // namespace alfcg::region
