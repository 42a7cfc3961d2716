#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "alfcg/core/error.hpp"
#include "alfcg/core/text.hpp"
#include "alfcg/model/model.hpp"
#include "model_examples.hpp"
#include "temporary_folder.hpp"

namespace alfcg {
namespace {

template <class Real>
class ModelFile : public testing::Test {
  protected:
    std::string path() const { return folder_.file("model.npz"); }
    Model<Real> there_and_back(const Model<Real>& model) const {
        save_model(model, path());
        return load_model<Real>(path());
    }
    TemporaryFolder folder_;
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(ModelFile, Precisions);

TYPED_TEST(ModelFile, EveryFieldSurvivesToTheLastBit) {
    const auto model = example_model<TypeParam>();
    EXPECT_TRUE(same(this->there_and_back(model), model));
    EXPECT_EQ(model_is_double(this->path()), (std::is_same_v<TypeParam, double>));
    EXPECT_EQ(this->folder_.count(), 1);
}

TYPED_TEST(ModelFile, TheSameModelGivesTheSameBytes) {
    save_model(example_model<TypeParam>(), this->path());
    save_model(example_model<TypeParam>(), this->folder_.file("again.npz"));
    const std::string bytes = read_bytes(this->path());
    EXPECT_EQ(bytes, read_bytes(this->folder_.file("again.npz")));
    // The time and the date of the first entry: midnight, the first of January 1980.
    EXPECT_EQ(bytes.substr(10, 4), std::string("\0\0!\0", 4));
}

TYPED_TEST(ModelFile, FractionalLabelsSurvive) {
    auto model = example_model<TypeParam>();
    model.classes = {{"-0.1", "0.5", "1e+300"}, {-0.1, 0.5, 1e300}};
    EXPECT_TRUE(same(this->there_and_back(model), model));
}

TYPED_TEST(ModelFile, WholeLabelsUpTo2To53Survive) {
    auto model = example_model<TypeParam>();
    model.classes.values = {-9007199254740992.0, 0, 9007199254740991.0};
    for (std::size_t i = 0; i < 3; ++i) model.classes.names[i] = format_number(model.classes.values[i]);
    EXPECT_TRUE(same(this->there_and_back(model), model));
}

TYPED_TEST(ModelFile, TextLabelsInAnyScriptAndEvenInNoneSurvive) {
    auto model = example_model<TypeParam>();
    // Empty, UTF-8 of two, three and four bytes, and a Latin-1 byte that is no UTF-8 at all.
    model.classes = {{"", "\xC3\xA9t\xC3\xA9", "\xE9t\xE9 \xE2\x82\xAC \xF0\x9F\x98\x80"}, {}};
    EXPECT_TRUE(same(this->there_and_back(model), model));
}

TYPED_TEST(ModelFile, TextThatLooksLikeNumbersStaysText) {
    auto model = example_model<TypeParam>();
    model.classes = {{"01", "1", "a"}, {}};
    EXPECT_TRUE(same(this->there_and_back(model), model));
}

TYPED_TEST(ModelFile, BinaryAndRegressionModelsSurvive) {
    auto model = example_model<TypeParam>();
    model.weights = Matrix<TypeParam>(1, 1);
    model.weights(0, 0) = TypeParam(-0.1);
    model.intercept = {0.25};
    model.names = {"only"};
    model.reading = {{}, {0.5}, "", {}, 1};
    model.scaling = {Normalization::spectral, {123.25}};
    model.classes = {{"no", "yes"}, {}};
    for (const char* loss : {"logistic", "sigmoid"}) {
        model.loss = {loss, {}};
        EXPECT_TRUE(same(this->there_and_back(model), model));
    }
    model.classes = {};
    model.scaling = {Normalization::rows, {}};
    const std::vector<LossSpec> losses{
        {"squared", {}}, {"huber", {{"threshold", 2.5}}}, {"welsch", {{"width", 0.75}}}};
    for (const LossSpec& loss : losses) {
        model.loss = loss;
        EXPECT_TRUE(same(this->there_and_back(model), model));
    }
}

TYPED_TEST(ModelFile, OneRegionHasOneNameInTheFile) {
    struct Case {
        std::string region;
        double p;
        std::string normal_region;
        double normal_p;
    };
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<Case> cases{
        {"l1", 0, "lp", 1},         {"l2", 0, "lp", 2},           {"linf", 0, "lp", infinity},
        {"l1", 7, "lp", 1},         {"lp", 1, "lp", 1},           {"lp", infinity, "lp", infinity},
        {"lp", 2.5, "lp", 2.5},     {"nuclear", 0, "nuclear", 0}, {"nuclear", 3, "nuclear", 0},
        {"my own", 4, "my own", 4},
    };
    for (const Case& each : cases) {
        SCOPED_TRACE(each.region);
        auto model = example_model<TypeParam>();
        const auto region = [&](const std::string& name, double p) {
            RegionSpec spec{name, {{"radius", 10}}, model.region.composite};
            if (p != 0) spec.parameters.set("p", p);
            return spec;
        };
        model.region = region(each.region, each.p);
        auto normal = model;
        normal.region = region(each.normal_region, each.normal_p);
        EXPECT_TRUE(same(this->there_and_back(model), normal));
        const Entries entries = unpack(this->path());
        const std::u32string name(each.normal_region.begin(), each.normal_region.end());
        EXPECT_EQ(entries.at("region"), array<char32_t>("<U" + std::to_string(name.size()), {},
                                                        std::vector<char32_t>(name.begin(), name.end())));
        EXPECT_EQ(entries.at("p"), array<double>("<f8", {}, {each.normal_p}));
        // Files that hold the other names are read the same way.
        Entries other = entries;
        other["region"] = array<char32_t>("<U" + std::to_string(each.region.size()), {},
                                          std::vector<char32_t>(each.region.begin(), each.region.end()));
        other["p"] = array<double>("<f8", {}, {each.p});
        pack(other, this->path());
        EXPECT_TRUE(same(load_model<TypeParam>(this->path()), normal));
    }
}

TYPED_TEST(ModelFile, ParametersOfARegionSurviveWhateverTheirNames) {
    auto model = example_model<TypeParam>();
    model.region = {"my own", {{"radius", 3}, {"k", 0.1}}, {}};
    model.region.parameters.set("upper", std::numeric_limits<double>::infinity());
    model.region.parameters.set("lower", -std::numeric_limits<double>::infinity());
    model.region.parameters.set("file", "\"gr\xC3\xB6\xC3\x9F\x65\".csv");
    EXPECT_TRUE(same(this->there_and_back(model), model));
}

TEST(ModelFilePrecision, WeightsAreConvertedToThePrecisionAskedFor) {
    const TemporaryFolder folder;
    const auto model = example_model<double>();
    save_model(model, folder.file("m"));
    EXPECT_TRUE(same(load_model<float>(folder.file("m")), example_model<float>()));

    Model<double> large = model;
    large.weights(2, 4) = 1e300;
    save_model(large, folder.file("m"));
    EXPECT_TRUE(same(load_model<double>(folder.file("m")), large));
    EXPECT_EQ(message_of<InputError>([&] { load_model<float>(folder.file("m")); }),
              folder.file("m") + ": weights: an entry is too large for single precision; use f64");
}

TEST(ModelFileSaving, AModelThatCouldNotBeReadBackIsNotWritten) {
    const TemporaryFolder folder;
    const auto refused = [&](auto change) {
        auto model = example_model<double>();
        change(model);
        EXPECT_THROW(save_model(model, folder.file("m")), Error);
        EXPECT_EQ(folder.count(), 0);
    };
    refused([](Model<double>& m) { m.weights(1, 1) = std::nan(""); });
    refused([](Model<double>& m) { m.weights = Matrix<double>(); });
    refused([](Model<double>& m) { m.weights = Matrix<double>(2, 5); });
    refused([](Model<double>& m) { m.classes = {{"b", "a", "c"}, {}}; });
    refused([](Model<double>& m) { m.scaling.divisors.pop_back(); });
    refused([](Model<double>& m) { m.loss.name = "logistic"; });
    refused([](Model<double>& m) { m.loss.name = "squared"; });
    EXPECT_THROW(save_model(example_model<double>(), folder.file("missing/m")), Error);
    EXPECT_THROW(save_model(example_model<double>(), "/dev/full"), Error);
}

/// Files whose archive is sound and whose contents are not.
class ModelContents : public testing::Test {
  protected:
    ModelContents() {
        save_model(example_model<float>(), path_);
        entries_ = unpack(path_);
    }
    /// What load_model says when entry `name` holds these bytes, without the file's name in front.
    std::string complaint(const std::string& name, const std::string& bytes) const {
        Entries changed = entries_;
        changed[name] = bytes;
        return complaint(changed);
    }
    std::string complaint(const Entries& changed) const {
        pack(changed, path_);
        const std::string message = message_of<InputError>([&] { load_model<float>(path_); });
        EXPECT_TRUE(message.starts_with(path_ + ": ")) << message;
        EXPECT_EQ(message.find('\n'), std::string::npos);
        return message.substr(std::min(message.size(), path_.size() + 2));
    }
    TemporaryFolder folder_;
    std::string path_ = folder_.file("m.npz");
    Entries entries_;
};

TEST_F(ModelContents, UnknownEntriesAreIgnored) {
    entries_["remark"] = "not even an array";
    pack(entries_, path_);
    EXPECT_TRUE(same(load_model<float>(path_), example_model<float>()));
}

TEST_F(ModelContents, EveryEntryButTheProgramsVersionIsNeeded) {
    for (const std::string& name : entry_names()) {
        if (name == "alfcg_version" || name == "format_version") continue;
        Entries changed = entries_;
        changed.erase(name);
        EXPECT_EQ(complaint(changed), "the model has no entry \"" + name + "\"");
    }
    Entries changed = entries_;
    changed.erase("format_version");
    EXPECT_EQ(complaint(changed), "not an alfcg model: the archive has no entry \"format_version\"");
    changed = entries_;
    changed.erase("alfcg_version");
    pack(changed, path_);
    EXPECT_TRUE(same(load_model<float>(path_), example_model<float>()));
}

TEST_F(ModelContents, ANewerFormatIsNamed) {
    EXPECT_EQ(complaint("format_version", array<std::int64_t>("<i8", {}, {4})),
              "model format 4, this alfcg reads up to 3");
    EXPECT_EQ(message_of<InputError>([&] { model_is_double(path_); }),
              path_ + ": model format 4, this alfcg reads up to 3");
    EXPECT_EQ(complaint("format_version", array<std::int64_t>("<i8", {}, {0})),
              "format_version: not a whole number of at least 1");
}

TEST_F(ModelContents, ParametersOfTheRegionAreNumbersAndWordsByName) {
    const auto text = [](const std::u32string& json) {
        return array<char32_t>("<U" + std::to_string(json.size()), {},
                               std::vector<char32_t>(json.begin(), json.end()));
    };
    EXPECT_EQ(complaint("region_parameters", text(U"{")), "region_parameters: not a JSON object");
    EXPECT_EQ(complaint("region_parameters", text(U"[1]")), "region_parameters: not a JSON object");
    EXPECT_EQ(complaint("region_parameters", text(U"{\"k\": [1]}")),
              "region_parameters: \"k\" is neither a number nor a word");
    EXPECT_EQ(complaint("norm", array<double>("<f8", {}, {-1})), "norm: not a number of at least 0");
    EXPECT_EQ(complaint("entropy", array<double>("<f8", {}, {-1})), "entropy: not a number of at least 0");
}

TEST_F(ModelContents, WeightsMustBeFiniteFloatsInTwoDimensions) {
    const std::vector<float> some(15, 1.0F);
    const float infinity = std::numeric_limits<float>::infinity();
    EXPECT_EQ(complaint("weights", array<float>("<f4", {15}, some)),
              "weights: shape (15); expected 2 dimensions");
    EXPECT_EQ(complaint("weights", array<float>("<f4", {5, 3}, some)),
              "weights: 5 rows; multinomial loss with 3 classes has 3");
    EXPECT_EQ(complaint("weights", array<float>("<f4", {3, 4}, some)),
              "weights: the entries do not fill the shape (3, 4)");
    EXPECT_EQ(complaint("weights", array<float>("<f4", {0, 5}, {})),
              "weights: shape (0, 5); expected at least one entry");
    EXPECT_EQ(complaint("weights", array<std::int32_t>("<i4", {3, 5}, std::vector<std::int32_t>(15))),
              "weights: entries of type <i4; expected <f4 or <f8");
    EXPECT_EQ(complaint("weights", array<float>("<f4", {1, 3}, {0, infinity, 0})),
              "weights: an entry is not a finite number");
    EXPECT_EQ(complaint("weights", array<float>("<f4", {1, 1}, {std::nanf("")})),
              "weights: an entry is not a finite number");
    EXPECT_EQ(complaint("weights", "no array"), "weights: not an NPY array");
    EXPECT_EQ(complaint("weights", ""), "weights: not an NPY array");
}

TEST_F(ModelContents, InterceptAndNamesFitTheWeightsOrAreNone) {
    EXPECT_EQ(complaint("intercept", array<double>("<f8", {2}, {1, 2})),
              "intercept: 2 numbers; weights of 3 rows have as many, or none");
    EXPECT_EQ(complaint("intercept", array<double>("<f8", {3}, {1, 2, std::nan("")})),
              "intercept: an entry is not a finite number");
    EXPECT_EQ(complaint("feature_names", array<char32_t>("<U1", {2}, {'a', 'b'})),
              "feature_names: 2 of them; weights of 5 columns have as many, or none");
    EXPECT_EQ(complaint("feature_columns", array<char32_t>("<U1", {2}, {'a', 'b'})),
              "feature_columns: 2 of them; 5 names of features have as many, or none");
    EXPECT_EQ(complaint("feature_columns", array<char32_t>("<U1", {5}, {'a', 'b', 'c', 'd', 'e'})),
              "feature_columns: a feature is neither its column nor one of its words");
    EXPECT_EQ(complaint("fill", array<double>("<f8", {1}, {1})),
              "fill: 1 numbers; 5 features have as many, or none");
    EXPECT_EQ(complaint("scale", array<double>("<f8", {}, {0})), "scale: not a positive number");
    auto model = example_model<float>();
    model.intercept = {};
    model.names = {};
    model.reading = {};
    save_model(model, path_);
    EXPECT_TRUE(same(load_model<float>(path_), model));
}

TEST_F(ModelContents, WeightsInFortranOrderAreTransposed) {
    std::vector<double> columns;
    const auto model = example_model<double>();
    for (Index j = 0; j < 5; ++j)
        for (Index i = 0; i < 3; ++i) columns.push_back(model.weights(i, j));
    entries_["weights"] = array<double>("<f8", {3, 5}, columns, true);
    pack(entries_, path_);
    EXPECT_TRUE(same(load_model<double>(path_), model));
}

TEST_F(ModelContents, ClassesMustFitTheLoss) {
    const auto numbers = [](std::vector<double> values) {
        return array<double>("<f8", {std::ssize(values)}, values);
    };
    EXPECT_EQ(complaint("classes", numbers({1, 2})),
              "weights: 3 rows; multinomial loss with 2 classes has 2");
    EXPECT_EQ(complaint("classes", numbers({})), "classes: 0 of them; multinomial loss has two or more");
    EXPECT_EQ(complaint("classes", numbers({1, 3, 3})), "classes: the labels are not in increasing order");
    EXPECT_EQ(complaint("classes", numbers({1, 2, std::nan("")})), "classes: a label is not a finite number");
    EXPECT_EQ(complaint("classes", array<std::int64_t>("<i8", {3}, {0, 1, (std::int64_t{1} << 53) + 1})),
              "classes: a whole number beyond 2^53");
    EXPECT_EQ(complaint("classes", array<char32_t>("<U1", {3}, {'a', 'c', 'b'})),
              "classes: the labels are not in increasing order");
    EXPECT_EQ(complaint("classes", array<char32_t>("<U1", {3}, {'a', 'b', 0x110000})),
              "classes: text that is not Unicode");
    EXPECT_EQ(complaint("classes", array<char>("|S1", {3}, {'a', 'b', 'c'})),
              "classes: entries of type |S1; expected numbers (<f8 or <i8)");

    entries_["loss"] = array<char32_t>("<U8", {}, {'l', 'o', 'g', 'i', 's', 't', 'i', 'c'});
    EXPECT_EQ(complaint(entries_), "classes: 3 of them; logistic loss has 2");
    EXPECT_EQ(complaint("classes", numbers({1, 2})), "weights: 3 rows; logistic loss with 2 classes has 1");
    entries_["loss"] = array<char32_t>("<U7", {}, {'s', 'q', 'u', 'a', 'r', 'e', 'd'});
    EXPECT_EQ(complaint(entries_), "classes: 3 of them; squared loss has 0");
    EXPECT_EQ(complaint("classes", numbers({})), "weights: 3 rows; squared loss with 0 classes has 1");
}

TEST_F(ModelContents, NamesAndNumbersMustMakeSense) {
    EXPECT_TRUE(complaint("loss", array<char32_t>("<U2", {}, {'x', 'y'})).starts_with("loss: "));
    EXPECT_TRUE(
        complaint("normalization", array<char32_t>("<U2", {}, {'x', 'y'})).starts_with("normalization: "));
    EXPECT_EQ(complaint("loss", array<double>("<f8", {}, {1})),
              "loss: entries of type <f8; expected text (<U)");
    EXPECT_EQ(complaint("loss", array<char32_t>("<U1", {1}, {'x'})),
              "loss: shape (1); expected 0 dimensions");
    EXPECT_EQ(complaint("radius", array<double>("<f8", {}, {-1})), "radius: not a number of at least 0");
    EXPECT_EQ(complaint("p", array<double>("<f8", {}, {std::nan("")})), "p: not a number of at least 0");
    EXPECT_EQ(complaint("loss_width", array<double>("<f8", {}, {0})), "loss_width: not a positive number");
    EXPECT_EQ(complaint("divisors", array<double>("<f8", {4}, {1, 1, 1, 1})),
              "divisors: 4 of them; normalization columns with 5 features has 5");
    EXPECT_EQ(complaint("divisors", array<double>("<f8", {5}, {1, 1, 0, 1, 1})),
              "divisors: one is not a positive number");
}

}  // namespace
}  // namespace alfcg
