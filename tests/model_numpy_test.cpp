#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "alfcg/model/model.hpp"
#include "model_examples.hpp"
#include "temporary_folder.hpp"

namespace alfcg {
namespace {

/// Models as NumPy sees them, without our software.
class ModelInNumPy : public testing::Test {
  protected:
    void SetUp() override {
        const auto found = python_with_numpy();
        if (!found) GTEST_SKIP() << "no Python with NumPy here (Debian: python3-numpy)";
        python_ = *found;
    }
    /// Runs the script, with the model's path as `path`; its assertions must hold.
    void run(const std::string& script) const {
        write_bytes(folder_.file("script.py"),
                    "import sys, zipfile\nimport numpy as np\npath = sys.argv[1]\n" + script);
        EXPECT_EQ(std::system((python_ + " -W error " + folder_.file("script.py") + " " + path_).c_str()), 0)
            << script;
    }
    TemporaryFolder folder_;
    std::string path_ = folder_.file("m.npz");
    std::string python_;
};

TEST_F(ModelInNumPy, EveryArrayHasTheTypeAndTheValueItShould) {
    save_model(example_model<float>(), path_);
    run(R"(
assert zipfile.ZipFile(path).testzip() is None
m = np.load(path, allow_pickle=False)
assert sorted(m.files) == sorted('format_version alfcg_version weights intercept feature_names feature_columns fill scale label_name other_columns classes loss loss_threshold loss_width '
    'normalization divisors region p radius l1 l2 nuclear norm entropy region_parameters method train_rows train_score holdout_rows holdout_score'.split()), m.files
assert m['format_version'].dtype == np.int64 and m['format_version'].shape == () and m['format_version'] == 3
w = m['weights']
assert w.dtype == np.float32 and w.shape == (3, 5) and w.flags.c_contiguous
assert (w.ravel() == (0.1 * np.arange(15) - 0.7).astype(np.float32)).all()
assert m['intercept'].dtype == np.float64 and m['intercept'].tolist() == [0.5, -1, 1e-3]
assert m['feature_names'].tolist() == ['a', 'b c', '\u00e9', 'b=', 'b=x=y']
assert m['feature_columns'].tolist() == ['a', 'b c', '\u00e9', 'b', 'b']
assert m['fill'].dtype == np.float64 and m['fill'].tolist() == [0, 1, -2.5, 0, 0]
assert m['scale'] == 255 and m['label_name'] == 'kind' and m['other_columns'].tolist() == ['id', '']
assert m['classes'].dtype == np.int64 and m['classes'].tolist() == [-1, 0, 12]
assert m['loss'].dtype.kind == 'U' and m['loss'].shape == () and m['loss'] == 'multinomial'
assert m['loss_threshold'] == 1 and m['loss_width'] == 1
assert m['normalization'] == 'columns'
assert m['divisors'].dtype == np.float64 and m['divisors'].tolist() == [1, 0.5, 1e-3, 3, 1e10]
assert m['region'] == 'lp' and m['p'] == np.inf and m['radius'] == 10
assert (m['l1'], m['l2'], m['nuclear'], m['norm'], m['entropy']) == (0.1, 0.25, 1e-3, 0.5, 2)
assert m['region_parameters'] == '{}'
assert (m['train_rows'], m['train_score'], m['holdout_rows'], m['holdout_score']) == (120, 0.75, 30, 0.5)
assert m['method'] == 'alfcg-mvr2' and m['alfcg_version'].dtype.kind == 'U'
)");
}

TEST_F(ModelInNumPy, DoubleWeightsAndTextLabels) {
    auto model = example_model<double>();
    model.classes = {{"", "\xC3\xA9t\xC3\xA9", "\xE9\xE2\x82\xAC\xF0\x9F\x98\x80"}, {}};
    save_model(model, path_);
    run(R"(
m = np.load(path, allow_pickle=False)
assert m['weights'].dtype == np.float64
assert (m['weights'].ravel() == 0.1 * np.arange(15) - 0.7).all()
assert m['classes'].tolist() == ['', '\u00e9t\u00e9', '\udce9\u20ac\U0001f600'], m['classes']
assert m['classes'][2].encode('utf-8', 'surrogateescape') == b'\xe9\xe2\x82\xac\xf0\x9f\x98\x80'
)");
}

TEST_F(ModelInNumPy, FractionalLabelsAreFloatsAndRegressionHasNone) {
    auto model = example_model<double>();
    model.classes = {{"0.5", "1", "2"}, {0.5, 1, 2}};
    save_model(model, path_);
    run("c = np.load(path)['classes']\nassert c.dtype == np.float64 and c.tolist() == [0.5, 1, 2]\n");
    model.classes = {};
    model.weights = Matrix<double>(1, 5);
    model.intercept = {};
    model.loss.name = "squared";
    save_model(model, path_);
    run("c = np.load(path)['classes']\nassert c.shape == (0,)\n");
}

TEST_F(ModelInNumPy, AWideArchiveIsRead) {
    write_bytes(path_, read_bytes(wide_archive));
    run("assert zipfile.ZipFile(path).testzip() is None\nassert np.load(path)['radius'] == 10\n");
}

TEST_F(ModelInNumPy, ModelsSavedAgainByNumPyLoad) {
    auto model = example_model<double>();
    model.classes = {{"", "\xC3\xA9t\xC3\xA9", "\xF0\x9F\x98\x80"}, {}};
    for (const std::string saver : {"savez", "savez_compressed"}) {
        save_model(model, path_);
        run("m = dict(np.load(path))\nnp." + saver + "(path, remark='kept', **m)\n");
        EXPECT_TRUE(same(load_model<double>(path_), model));
        EXPECT_TRUE(model_is_double(path_));
        run("m = dict(np.load(path))\nm['weights'] = np.asfortranarray(m['weights'], np.float32)\n"
            "np." +
            saver + "(path, **m)\n");
        EXPECT_FALSE(model_is_double(path_));
        auto single = example_model<float>();
        single.classes = model.classes;
        EXPECT_TRUE(same(load_model<float>(path_), single));
    }
}

}  // namespace
}  // namespace alfcg
