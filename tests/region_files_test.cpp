// Files that give a number to every feature, and regions made of them.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "alfcg/core/error.hpp"
#include "alfcg/region/spec.hpp"
#include "core/npy.hpp"
#include "region/feature_values.hpp"
#include "temporary_folder.hpp"

namespace alfcg {
namespace {

using region::FeatureValues;
using region::not_given;

class FeatureFile : public ::testing::Test {
  protected:
    std::string path() const { return folder_.file("values.csv"); }
    FeatureValues read(const std::string& text, const std::vector<std::string>& features,
                       double rest = not_given) const {
        std::ofstream(path(), std::ios::binary) << text;
        Parameters given;
        given.set("upper", path());
        return {given, "upper", features, rest};
    }
    std::string complaint(const std::string& text, const std::vector<std::string>& features) const {
        try {
            read(text, features).check("upper", std::max<Index>(3, std::ssize(features)));
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    }
    TemporaryFolder folder_;
};

using Values = std::vector<double>;

TEST_F(FeatureFile, GivesNumbersByNameInAnyOrder) {
    const std::vector<std::string> features{"age", "income, net", "say \"yes\""};
    EXPECT_EQ(
        read("feature,bound\n\"say \"\"yes\"\"\",3\nage, -1.5\r\n\n\"income, net\",inf\n", features).over(3),
        (Values{-1.5, std::numeric_limits<double>::infinity(), 3}));
    EXPECT_EQ(read("age,2\n", features, 7).over(3), (Values{2, 7, 7})) << "others have what the region says";
    EXPECT_EQ(read("*,5\nage,2\n", features, 7).over(3), (Values{2, 5, 5})) << "or the file";
}

TEST_F(FeatureFile, GivesNumbersByPositionWhereThereAreNoNames) {
    EXPECT_EQ(read("2,1\n0,4\n*,9\n", {}).over(4), (Values{4, 9, 1, 9}));
}

TEST_F(FeatureFile, SaysWhatIsWrongAndWhere) {
    const std::vector<std::string> features{"a", "b", "c"};
    EXPECT_EQ(complaint("a,1\nd,2\n", features), path() + ":2: there is no feature 'd' in the data");
    EXPECT_EQ(complaint("a,1\nb,x\n", features), path() + ":2: 'x' is not a number");
    EXPECT_EQ(complaint("a,1\nb,nan\n", features), path() + ":2: 'nan' is not a number");
    EXPECT_EQ(complaint("a,1\nb\n", features), path() + ":2: must be NAME,VALUE, not 'b'");
    EXPECT_EQ(complaint("a,1\na,2\n", features), path() + ":2: 'a' is there twice");
    EXPECT_EQ(complaint("a,1\n", {}),
              path() + ":1: 'a' must be the position of a feature from 0: the data have no names");
    EXPECT_EQ(complaint("7,1\n", {}), "upper has values for 8 features, the data have 3");
    EXPECT_EQ(complaint("a,1\nb,2\n", features),
              "upper has no value for feature 2 (from 0); a line *,VALUE is for all that are not listed");
    Parameters given;
    given.set("upper", folder_.file("absent"));
    EXPECT_THROW(FeatureValues(given, "upper", features, 0), InputError);
}

TEST_F(FeatureFile, RegionsAreMadeWithTheNamesOfTheData) {
    std::ofstream(path()) << "b,0\n";
    RegionSpec spec{"bounded-l1", {{"radius", 2}}, {}};
    spec.parameters.set("upper", path());
    const RegionSetting setting{1, {"a", "b"}, {}};
    const auto region = make_region<double>(spec, setting);
    EXPECT_EQ(region->describe(), "l_1 ball of radius 2, from -inf to by feature");
    Matrix<double> gradient(1, 2);
    gradient(0, 0) = -1;
    gradient(0, 1) = -5;
    Vertex<double> vertex;
    region->minimize(gradient, 0, true, vertex);
    EXPECT_EQ(vertex.at(0, 0), 2);
    EXPECT_EQ(vertex.at(0, 1), 0) << "its upper bound";
    gradient(0, 1) = 5;
    region->minimize(gradient, 0, true, vertex);
    EXPECT_EQ(vertex.at(0, 1), -2);
    std::ofstream(path()) << "b,-1\n";
    EXPECT_THROW(make_region<double>(spec, setting), QuantityError) << "without the origin";
}

TEST_F(FeatureFile, AMetricIsReadFromAnNpyFile) {
    const std::string file = folder_.file("metric.npy");
    const auto write = [&](const std::string& dtype, const std::vector<std::int64_t>& shape,
                           const std::vector<double>& numbers) {
        std::string bytes = encode_npy_header({dtype, false, shape, 0});
        bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double));
        std::ofstream(file, std::ios::binary) << bytes;
    };
    RegionSpec spec{"ellipsoid", {{"radius", 2}}, {}};
    spec.parameters.set("metric", file);
    const auto complaint_of = [&]() -> std::string {
        try {
            make_region<double>(spec);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    write("<f8", {2, 2}, {4, 0, 0, 1});
    Matrix<double> x(1, 2);
    x(0, 0) = 3;
    EXPECT_EQ(make_region<double>(spec)->norm(x), 6);
    spec.composite.l1 = 1;
    EXPECT_NE(complaint_of().find("l1 has no oracle over an ellipsoid with a matrix"), std::string::npos);
    spec.composite.l1 = 0;
    write("<f8", {2, 2}, {4, 0, 0});
    EXPECT_EQ(complaint_of(), file + ": is cut short");
    write("<f8", {1, 4}, {4, 0, 0, 1});
    EXPECT_EQ(complaint_of(), file + ": must hold a square matrix");
    write("<i8", {2, 2}, {4, 0, 0, 1});
    EXPECT_EQ(complaint_of(), file + ": must hold floats, <f4 or <f8, not <i8");
    write("<f8", {2, 2}, {4, 0, 0, -1});
    EXPECT_NE(complaint_of().find("must be a positive definite matrix"), std::string::npos);
}

}  // namespace
}  // namespace alfcg
