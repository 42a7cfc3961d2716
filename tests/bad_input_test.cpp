// Whatever is wrong, the program ends with status 2 and one line that says what, where, and what would be
// right; no output of an earlier run is touched, and nothing new is left behind.
#include <sys/stat.h>

#include <limits>

#include "bad_input_files.hpp"

namespace alfcg {
namespace {

TEST_P(BadInputTest, IsRefusedInOneLineAndTouchesNothing) {
    expect_refusal(GetParam());
}

std::vector<BadInput> usage() {
    return {
        {"NoCommand", {}, {"a command is needed", "train, predict"}, {}, true},
        {"UnknownCommand", {"frobnicate"}, {"unknown command 'frobnicate'", "train, predict"}},
        {"NoData", {"train"}, {"data is required", "alfcg train --help"}},
        {"NoModel", {"predict"}, {"model is required", "alfcg predict --help"}},
        bad_option("UnknownOption", {"--frob", "1"}, {"unknown option --frob"}),
        {"UnknownOptionBesideShortOnes", {"recommend", "m", "u", "--frob", "3"}, {"unknown option --frob"}},
        {"OneArgumentTooMany",
         {"predict", "numbers.npz", "good.svm", "more.svm"},
         {"'more.svm' is one argument too many"}},
        {"OneFileMissing", {"train", "good.svm", "more.svm"}, {"more.svm: no such file"}},
        bad_option("OptionWithoutItsNumber", {"--rho"}, {"--rho", "missing"}),
        bad_option("OptionTwice", {"--radius", "1", "--radius", "2"}, {"--radius", "received 2"}),
        bad_option("RowsText", {"--rows", "many"}, {"--rows must be a number, not 'many'"}),
        bad_option("RowsNotInDigits", {"--rows", "1e3"}, {"--rows must be a whole number", "'1e3'"}),
        bad_option("RowsInHexadecimal", {"--rows", "0x10"}, {"--rows must be a whole number", "'0x10'"}),
        bad_option("IterationsInHexadecimal", {"--max-iterations", "0x10"},
                   {"--max-iterations must be a whole number", "'0x10'"}),
        bad_option("SeedBeyondNumbers", {"--seed", "18446744073709551616"},
                   {"--seed must be a whole number", "not too large", "'18446744073709551616'"}),
        bad_option("UnpackedText", {"--max-unpacked", "much"}, {"--max-unpacked must be a size", "'much'"}),
        bad_option("RowsZero", {"--rows", "0"}, {"--rows must be at least 1, not 0"}),
        bad_option("RowsNegative", {"--rows", "-1"}, {"--rows must be at least 1, not -1"}),
        bad_option("FeaturesZero", {"--features", "0"}, {"--features must be at least 1, not 0"}),
        bad_option("FeaturesNegative", {"--features", "-3"}, {"--features must be at least 1, not -3"}),
        bad_option("FeaturesTooFew", {"--features", "2"}, {"good.svm:2: index 3", "features, 2"}),
        bad_option("UnknownFormat", {"--format", "arff"},
                   {"unknown format 'arff'", "libsvm, csv, npy, idx or mapped"}),
        bad_option("UnknownNormalisation", {"--normalize", "l7"}, {"unknown", "'l7'", "rows, columns"}),
        bad_option("UnknownPrecision", {"--precision", "f16"}, {"'f16'", "f32 or f64"}),
        bad_option("ThreadsNegative", {"--threads", "-1"}, {"--threads must be from 1 to 1024"}),
        bad_option("ThreadsFarTooMany", {"--threads", "100000"}, {"--threads must be from 1 to 1024"}),
        bad_option("ThreadsBeyondNumbers", {"--threads", "99999999999"},
                   {"--threads must be a whole number"}),
        bad_option("SeedNegative", {"--seed", "-1"}, {"--seed", "must be 0 or more, not -1"}),
        bad_option("HoldOutMoreThanAll", {"--holdout", "1.5"}, {"--holdout must be between 0 and 1"}),
        bad_option("HoldOutNan", {"--holdout", "nan"}, {"--holdout must be between 0 and 1"}),
        bad_option("TraceEveryZero", {"--trace-every", "0"}, {"--trace-every must be at least 1"}),
        bad_option("LabelColumnOfPairs", {"--label-column", "0"}, {"good.svm: --label-column is for CSV"}),
        bad_option("LabelsOfLabelledData", {"--labels", "labels.txt"}, {"good.svm: has labels of its own"}),
    };
}
INSTANTIATE_TEST_SUITE_P(Usage, BadInputTest, testing::ValuesIn(usage()), case_name);

std::vector<BadInput> problems() {
    return {
        bad_option("UnknownLoss", {"--loss", "hinge"},
                   {"--loss must be one of multinomial, logistic", "not 'hinge'"}),
        bad_option("ThresholdWithoutHuber", {"--threshold", "1"},
                   {"--threshold is not a parameter of the loss"}),
        bad_option("ThresholdZero", {"--loss", "huber", "--threshold", "0"},
                   {"--threshold must be positive"}),
        bad_option("WidthWithoutWelsch", {"--width", "1"}, {"--width is not a parameter of the loss"}),
        bad_option("UnknownRegion", {"--region", "l3"}, {"--region must be one of l1, l2, linf, lp", "'l3'"}),
        bad_option("MemoryZero", {"--memory", "0"}, {"--memory must be a size such as 500M", "not '0'"}),
        bad_option("MemoryNegative", {"--memory", "-2G"},
                   {"--memory must be a size such as 500M", "not '-2G'"}),
        bad_option("MemoryUnit", {"--memory", "2X"}, {"--memory must be a size such as 500M", "not '2X'"}),
        bad_option("MemoryText", {"--memory", "much"}, {"--memory must be a size", "not 'much'"}),
        bad_option("MemoryUnits", {"--memory", "2GB"}, {"--memory must be a size", "not '2GB'"}),
        bad_option("RadiusZero", {"--radius", "0"}, {"--radius must be positive, not 0"}),
        bad_option("RadiusNegative", {"--radius", "-1"}, {"--radius must be positive, not -1"}),
        bad_option("RadiusNan", {"--radius", "nan"}, {"--radius must be positive, not nan"}),
        bad_option("RadiusInf", {"--radius", "inf"}, {"--radius must be a finite number, not inf"}),
        bad_option("RadiusText", {"--radius", "big"}, {"--radius must be a number, not 'big'"}),
        bad_option("RadiusBeyondF32", {"--radius", "1e40"}, {"--radius must be between", "not 1e+40"}),
        bad_option("LpWithoutP", {"--region", "lp"}, {"--p is needed by the region lp", "from 1 to inf"}),
        bad_option("PLessThanOne", {"--region", "lp", "--p", "0.5"}, {"--p must be at least 1, or inf"}),
        bad_option("PNegative", {"--region", "lp", "--p", "-2"}, {"--p must be at least 1, or inf, not -2"}),
        bad_option("PNan", {"--region", "lp", "--p", "nan"}, {"--p must be at least 1, or inf, not nan"}),
        bad_option("PForNuclear", {"--region", "nuclear", "--p", "2"},
                   {"--p is not a parameter of the region nuclear", "which has radius"}),
        bad_option("L1OverNuclear", {"--region", "nuclear", "--l1", "1"},
                   {"--l1 has no oracle over the region nuclear", "takes --nuclear, --l2 and --norm"}),
        bad_option("NuclearOverLp", {"--region", "lp", "--p", "3", "--nuclear", "1"},
                   {"--nuclear has no oracle over the region lp", "takes --l1, --l2 and --norm"}),
        bad_option("L1Negative", {"--l1", "-1"}, {"--l1 must be 0 or positive, not -1"}),
        bad_option("L2Nan", {"--l2", "nan"}, {"--l2 must be a finite number, not nan"}),
        bad_option("NuclearNegative", {"--region", "nuclear", "--nuclear", "-2"}, {"--nuclear must be 0 or"}),
        bad_option("UnknownMethod", {"--method", "adam"}, {"unknown method 'adam'", "alfcg-d", "alfcg-mvr2"}),
        bad_option("BetaOfAlfcgD", {"--beta", "0.1"},
                   {"--beta is not a parameter of alfcg-d", "which has rho"}),
        bad_option("RhoZero", {"--rho", "0"}, {"--rho must be positive, not 0"}),
        bad_option("RhoNegative", {"--rho", "-1"}, {"--rho must be positive, not -1"}),
        bad_option("RhoNan", {"--rho", "nan"}, {"--rho must be positive, not nan"}),
        bad_option("RhoInf", {"--rho", "inf"}, {"--rho must be a finite number, not inf"}),
        bad_option("RhoText", {"--rho", "large"}, {"--rho must be auto, probe or a number, not 'large'"}),
        bad_option("RhoNever", {"--rho", "never"}, {"--rho must be auto, probe or a number, not 'never'"}),
        bad_option("RhoNumberOfARival", {"--method", "fw-armijo", "--rho", "1"},
                   {"--rho is not a parameter of fw-armijo", "which has contraction"}),
        bad_option("RhoAutoOfARival", {"--method", "fw-armijo", "--rho", "auto"},
                   {"--rho is not a parameter of fw-armijo", "which has contraction"}),
        bad_option("RhoProbeOfARival", {"--method", "sfw", "--rho", "probe"},
                   {"--rho is not a parameter of sfw", "which has batch"}),
        bad_option("BatchZero", {"--method", "alfcg-fs", "--batch", "0"}, {"--batch must be at least 1"}),
        bad_option("BatchBroken", {"--method", "alfcg-fs", "--batch", "2.5"},
                   {"--batch must be a whole number"}),
        bad_option("IterationsNegative", {"--max-iterations", "-1"},
                   {"--max-iterations must not be negative"}),
        bad_option("IterationsBroken", {"--max-iterations", "2.5"},
                   {"--max-iterations must be a whole number"}),
        bad_option("EpochsNegative", {"--max-epochs", "-1"}, {"--max-epochs must not be negative"}),
        bad_option("SecondsNan", {"--max-seconds", "nan"}, {"--max-seconds must not be negative"}),
        bad_option("GapNegative", {"--gap", "-0.1"}, {"--gap must not be negative"}),
        bad_option("NeverStops", {"--max-epochs", "inf"}, {"would never stop", "give a budget"}),
    };
}
INSTANTIATE_TEST_SUITE_P(Problem, BadInputTest, testing::ValuesIn(problems()), case_name);

std::vector<BadInput> text_data() {
    std::string wide;  // as many classes as rows, so that no machine has the memory
    for (int i = 0; i < 3000; ++i) wide += std::to_string(i) + " 1:1\n";
    std::string corrupt = gzip(long_libsvm());
    for (std::size_t k = corrupt.size() / 2; k < corrupt.size() / 2 + 8; ++k) corrupt[k] = '\x55';
    const std::string table = "1,2,u\n3,4,v\n5,6,w\n";
    return {
        {"MissingFile", {"train", "absent.svm"}, {"absent.svm: no such file", "randn-N-d"}},
        {"Folder", {"train", "folder"}, {"folder: is a directory; a data file is needed"}},
        bad_data("EmptyFile", "", {"the file is empty"}),
        bad_data("BlankLines", "\n  \n\t\n", {"no data rows"}),
        bad_data("EmptyArchive", gzip(""), {"the archive is empty"}),
        bad_data("TruncatedGzip", first_half(gzip(long_libsvm())), {"truncated gzip archive"}),
        bad_data("TruncatedBzip2", first_half(bzip2(long_libsvm())), {"truncated bzip2 archive"}),
        bad_data("TruncatedXz", first_half(xz(long_libsvm())), {"truncated xz archive"}),
        bad_data("CorruptGzip", corrupt, {"corrupt gzip archive"}),
        bad_data("GarbageBehindGzip", gzip(long_libsvm()) + "garbage", {"garbage behind the gzip archive"}),
        bad_data("Binary", std::string("1,2\0003,4\n", 8),
                 {"binary data", "LIBSVM, CSV, NPY, IDX or mapped"}),
        bad_data("ValueNan", "1 1:1\n-1 2:nan\n", {"data:2: value of '2:nan'", "not a finite number"}),
        bad_data("ValueInf", "1 1:1\n-1 2:-inf\n", {"data:2: value of '2:-inf'", "not a finite number"}),
        bad_data("ValueBeyondF32", "1 1:1\n-1 2:1e39\n", {"data:2: value of '2:1e39'", "too large for f32"}),
        bad_data("ValueBeyondF64", "1 1:1\n-1 2:1e309\n", {"data:2:", "too large for f64"},
                 {"--precision", "f64"}),
        bad_data("ValueText", "1 1:1\n-1 2:x\n", {"data:2: value of '2:x'", "not a number"}),
        bad_data("ValueMissing", "1 1:1\n-1 2: 3:1\n", {"data:2: value of '2:'", "not a number"}),
        bad_data("IndexZero", "1 1:1\n-1 0:1\n", {"data:2: index 0", "indices start at 1"}),
        bad_data("IndexNegative", "1 1:1\n-1 -3:1\n", {"data:2: negative index", "indices start at 1"}),
        bad_data("IndexTwoToThe31", "1 1:1\n-1 2147483648:1\n", {"data:2: index", "2147483647"}),
        bad_data("IndexTwoToThe63", "1 1:1\n-1 9223372036854775808:1\n", {"data:2: index", "2147483647"}),
        bad_data("IndexAsPower", "1 1:1\n-1 1e30:1\n", {"data:2: '1e30:1' is not a pair 'index:value'"}),
        bad_data("IndexTwice", "1 1:1\n-1 2:1 2:1\n", {"data:2: index 2 occurs twice"}),
        bad_data("IndexUnsorted", "1 1:1\n-1 3:1 2:1\n", {"data:2: index 2 comes after 3", "increase"}),
        bad_data("IndexAbsurd", wide + "0 2000000000:1\n", {"weights needs about", "GiB", "--features"}),
        bad_data("PairWithoutColon", "1 1:1\n-1 3\n", {"data:2: '3' is not a pair 'index:value'"}),
        bad_data("LabelMissing", "1 1:1\n2:1 3:1\n", {"data:2: no label", "'label index:value ...'"}),
        bad_data("LabelNan", "1 1:1\nnan 3:1\n", {"data:2: label 'nan' is not a finite number"}),
        bad_data("NoFeatures", "1 # 1:1\n2 # 3:1\n", {"no feature occurs", "--features"},
                 {"--format", "libsvm"}),
        bad_data("RaggedRow", "1,2,u\n3,4\n5,6,w\n", {"data:2: 2 columns, but the first row has 3"}),
        bad_data("EmptyField", "1,2,u\n3,,v\n", {"data:2: column 1: empty field"}),
        bad_data("EmptyLabel", "1,2,u\n3,4,\n", {"data:2: column 2: empty field"}),
        bad_data("TextAmongNumbers", "a,b,c\n1,2,u\n3,red,v\n",
                 {"data:3: column 1 ('b'): 'red' is not a number; --categories"}),
        bad_data("MissingValue", "a,b,c\n1,2,u\n3,NA,v\n",
                 {"data:3: column 1 ('b'): missing value ('NA'); --missing mean or zero"}),
        bad_data("DropUnknown", "a,b,c\n1,2,3\n", {"data:1: no column 'z'", "a, b, c"}, {"--drop", "z"}),
        bad_data("WeightsUnknown", "a,b,c\n1,2,3\n", {"data: no column 'w', and no file of weights"},
                 {"--weights", "w"}),
        bad_data("QuoteNotClosed", "1,2,\"u\n3,4,v\n", {"data:1: a quote that is never closed"}),
        bad_data("LabelColumnUnknown", "a,b,c\n1,2,3\n", {"data:1: no column 'z'", "a, b, c"},
                 {"--label-column", "z"}),
        bad_data("LabelColumnTooHigh", table, {"data:1: label column 3", "0 .. 2"}, {"--label-column", "3"}),
        bad_data("LabelColumnTooLow", table, {"data:1: label column -4", "-1 .. -3"},
                 {"--label-column", "-4"}),
        bad_data("LabelColumnNone", table, {"labels are needed", "--labels FILE"},
                 {"--label-column", "none"}),
        bad_data("HeaderOnly", "a,b,c\n", {"no data rows, only a header"}),
        bad_data("OneColumn", "1\n2\n3\n", {"data:1: only one column", "two or more"}),
        bad_data("OtherNumberOfFeatures", table, {"2 features, but 5 are asked for"}, {"--features", "5"}),
        bad_data("OneClass", "1,2,u\n3,4,u\n", {"every row has the label u", "at least two classes"}),
        bad_data("ThreeClassesForLogistic", table, {"exactly two classes", "have 3", "--loss multinomial"},
                 {"--loss", "logistic"}),
        bad_data("ThreeClassesForSigmoid", table, {"exactly two classes", "have 3", "--loss multinomial"},
                 {"--loss", "sigmoid"}),
        bad_data("TextForSquared", table, {"squared loss needs numbers as labels"}, {"--loss", "squared"}),
        bad_data("OneClassAfterHoldOut", "1,2,u\n3,4,v\n", {"at least two classes"}, {"--holdout", "0.5"}),
    };
}
INSTANTIATE_TEST_SUITE_P(TextData, BadInputTest, testing::ValuesIn(text_data()), case_name);

std::vector<BadInput> array_data() {
    const Words labels{"--labels", "labels.txt"};
    const std::string whole = array_with(7);
    const std::string image(16, '\1');
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto labelled = [](const std::string& name, const std::string& file, const std::string& bytes,
                             Words says) {
        return BadInput{name, {"train", "good.npy", "--labels", file}, std::move(says), {{file, bytes}}};
    };
    return {
        bad_data("Objects", rows_of_numbers("|O", "(4, 3)", 96), {"not plain numbers"}, labels),
        bad_data("Complex", rows_of_numbers("<c16", "(4, 3)", 192), {"'<c16' is not supported", "f4, f8"},
                 labels),
        bad_data("HalfPrecision", rows_of_numbers("<f2", "(4, 3)", 24), {"'<f2' is not supported"}, labels),
        bad_data("OneDimension", rows_of_numbers("<f8", "(4,)", 32), {"one dimension", "need two"}, labels),
        bad_data("NoRows", rows_of_numbers("<f8", "(0, 3)", 0), {"no data rows"}, labels),
        bad_data("TruncatedNpy", whole.substr(0, whole.size() - 5), {"truncated", "4 x 3 values"}, labels),
        bad_data("TruncatedNpyHeader", whole.substr(0, 40), {"the NPY header is cut short"}, labels),
        bad_data("GarbageBehindNpy", whole + "xx", {"more data than the 4 x 3 values"}, labels),
        bad_data("EntryNan", array_with(nan), {"row 2, column 1", "NaN; finite numbers are needed"}, labels),
        bad_data("EntryBeyondF32", array_with(1e39), {"row 2, column 1", "too large for f32"}, labels),
        bad_data("HugeShape", rows_of_numbers("<f8", "(4000000000, 3000000000)", 8), {"too large"}, labels),
        bad_data("LargeShape", rows_of_numbers("<f8", "(400000000, 3000)", 8), {"truncated"}, labels),
        bad_data("NegativeShape", rows_of_numbers("<f8", "(-4, 3)", 8), {"damaged NPY header"}, labels),
        {"NpyWithoutLabels", {"train", "good.npy"}, {"good.npy: NPY files hold no labels", "--labels FILE"}},
        bad_data("TruncatedIdx", idx_header(8, {4, 2, 2}) + "abc", {"truncated", "4 x 4 values"}, labels),
        bad_data("TruncatedIdxHeader", idx_header(8, {4, 2, 2}).substr(0, 7), {"truncated IDX header"},
                 labels),
        bad_data("UnknownIdxType", idx_header(7, {4, 2, 2}) + image, {"IDX element type 0x07", "08, 09"},
                 labels),
        bad_data("GarbageBehindIdx", idx_header(8, {4, 2, 2}) + image + "x", {"more data than"}, labels),
        {"IdxWithoutLabels", {"train", "images.idx"}, {"images.idx: IDX files hold no labels", "--labels"}},
        labelled("TooFewLabels", "y.idx", idx_header(8, {3}) + std::string("\0\1\0", 3),
                 {"y.idx: 3 labels, but good.npy has 4 rows"}),
        labelled("TooManyLabels", "y.txt", "0\n1\n0\n1\n1\n", {"y.txt: 5 labels, but good.npy has 4 rows"}),
        labelled("BlankLabel", "y.txt", "0\n\n0\n1\n", {"y.txt:2: a blank line"}),
        labelled("InfiniteLabel", "y.txt", "0\n1\ninf\n1\n", {"y.txt:3: label 'inf' is not a finite number"}),
        labelled("LabelMatrix", "y.npy", whole, {"y.npy: labels must be an array of one dimension"}),
        {"LabelsMissing", {"train", "images.idx", "--labels", "absent.idx"}, {"absent.idx: no such file"}},
        {"LabelsFolder", {"train", "images.idx", "--labels", "folder"}, {"folder: is a directory"}},
        {"ZipAsData", {"train", "classes.npz"}, {"classes.npz: a zip archive", "numpy.save"}},
    };
}
INSTANTIATE_TEST_SUITE_P(ArrayData, BadInputTest, testing::ValuesIn(array_data()), case_name);

std::vector<BadInput> built_in_data() {
    const auto built_in = [](const std::string& name, const std::string& source, Words says,
                             Words options = {}) {
        options.insert(options.begin(), {"train", source});
        says.push_back(source + ":");
        return BadInput{name, std::move(options), std::move(says)};
    };
    return {
        built_in("RandnNoRows", "randn-0-5", {"N and d must be at least 1"}),
        built_in("RandnNoFeatures", "randn-5-0", {"N and d must be at least 1"}),
        built_in("RandnText", "randn-abc", {"randn-N-d with whole numbers N and d"}),
        built_in("RandnOneNumber", "randn-5", {"randn-N-d with whole numbers N and d"}),
        built_in("RandnBeyondMemory", "randn-1000000000-1000000000", {"GiB of memory", "--rows"}),
        built_in("RandnBeyondNumbers", "randn-99999999999999999999-5", {"below 2^63"}),
        built_in("RandnOneRow", "randn-1-5", {"at least two classes"}),
        {"RandnOneClass", {"train", "randn-9-5", "--classes", "1"}, {"--classes must be at least 2"}},
        built_in("RandnTooManyClasses", "randn-9-5", {"at most 2147483647"}, {"--classes", "99999999999"}),
        built_in("MnistNowhere", "mnist-10-10", {"train-images-idx3-ubyte", "--data-dir", "$ALFCG_DATA"}),
        built_in("MnistNotThere", "mnist-10-10", {"no train-images-idx3-ubyte", "in folder"},
                 {"--data-dir", "folder"}),
        built_in("MnistTooManyPixels", "mnist-10-785", {"784 pixels"}, {"--data-dir", "folder"}),
        built_in("MnistTooManyRows", "mnist-60001-10", {"60000 training images"}, {"--data-dir", "folder"}),
    };
}
INSTANTIATE_TEST_SUITE_P(BuiltInData, BadInputTest, testing::ValuesIn(built_in_data()), case_name);

std::vector<BadInput> batches() {
    const auto batches = [](const std::string& name, const std::string& text, Words says, bool late = false) {
        Words arguments{"train", "good.svm",  "--method", "alfcg-mvr1", "--max-iterations",
                        "9",     "--batches", "b"};
        return BadInput{name, std::move(arguments), std::move(says), {{"b", text}}, late};
    };
    return {
        bad_option("BatchesMissing", {"--batches", "absent"}, {"absent: cannot open the file of batches"}),
        bad_option("BatchesFolder", {"--batches", "folder"}, {"folder: is a directory"}),
        batches("BatchesText", "0 1\n0 x\n", {"b:2: a batch is a line of row numbers"}),
        batches("BatchesNegative", "0 -1\n", {"b:1: a batch is a line of row numbers"}),
        batches("BatchesBeyondRows", "0 1\n4 0\n", {"b:2: row 4", "rows go from 0 to 3"}),
        batches("BatchesBeyondNumbers", "99999999999999999999\n", {"b:1: a batch is a line of row numbers"}),
        batches("BatchesEmptyLine", "0 1\n\n2\n", {"b:2: empty line", "at least one row number"}),
        batches("BatchesTooFew", "0 1\n2\n", {"--batches", "ran out after 2 draws"}, true),
    };
}
INSTANTIATE_TEST_SUITE_P(Batches, BadInputTest, testing::ValuesIn(batches()), case_name);

std::vector<BadInput> outputs() {
    BadInput overflow = bad_data("ProblemOverflows", "1.5 1:3e38\n2.5 2:1e38\n",
                                 {"not a finite number", "--normalize", "--precision f64"},
                                 {"--loss", "squared", "--method", "alfcg-d"});
    overflow.late = true;
    overflow.says.pop_back();
    auto underflow = bad_data("WeightsUnderflow", "1.5 1:3e38\n2.5 2:1e38\n",
                              {"too small for the precision", "--normalize", "--precision f64"},
                              {"--loss", "squared", "--method", "alfcg-c"});
    underflow.late = true;
    underflow.says.pop_back();
    return {
        overflow,
        underflow,
        bad_option("ModelInMissingFolder", {"--model", "absent/m.npz"},
                   {"absent/m.npz: cannot write", "no folder"}),
        bad_option("ModelIsFolder", {"--model", "folder"}, {"folder: cannot write: Is a directory"}),
        bad_option("ModelBelowFile", {"--model", "good.csv/m"},
                   {"good.csv/m: cannot write: Not a directory"}),
        bad_option("TraceInMissingFolder", {"--trace", "absent/t.csv"}, {"absent/t.csv: cannot write"}),
        bad_option("TraceIsFolder", {"--trace", "folder"}, {"folder: cannot write: Is a directory"}),
        bad_option("BatchesOutIsFolder", {"--batches-out", "folder"}, {"folder: cannot write"}),
        bad_option("ModelReplacesData", {"--model", "./good.svm"}, {"./good.svm: is an input"}),
        bad_option("TraceReplacesModel", {"--model", "m", "--trace", "folder/../m"},
                   {"two outputs have this name"}),
        {"PredictionsReplaceModel",
         {"predict", "numbers.npz", "good.svm", "--output", "numbers.npz"},
         {"numbers.npz: is an input", "give another name"}},
        {"PredictionsInMissingFolder",
         {"predict", "numbers.npz", "good.svm", "--output", "absent/p"},
         {"absent/p: cannot write", "no folder absent"}},
    };
}
INSTANTIATE_TEST_SUITE_P(Outputs, BadInputTest, testing::ValuesIn(outputs()), case_name);

std::vector<BadInput> models() {
    TemporaryFolder folder;
    const std::string path = folder.file("model.npz");
    save_model(example_model<float>(), path);
    const std::string whole = read_bytes(path);
    const Entries entries = unpack(path);
    const auto changed = [&](const std::string& name, const std::string& bytes) {
        Entries others = entries;
        others[name] = bytes;
        pack(others, path);
        return read_bytes(path);
    };
    Entries foreign;
    foreign["weights"] = entries.at("weights");
    pack(foreign, path);
    const std::string without_version = read_bytes(path);
    const auto model = [](const std::string& name, const std::string& bytes, Words says) {
        says.emplace_back("m.npz:");
        return BadInput{name, {"predict", "m.npz", "good.svm"}, std::move(says), {{"m.npz", bytes}}};
    };
    const auto predict = [](const std::string& name, Words arguments, Words says,
                            std::map<std::string, std::string> files = {}) {
        arguments.insert(arguments.begin(), "predict");
        return BadInput{name, std::move(arguments), std::move(says), std::move(files)};
    };
    return {
        predict("ModelMissing", {"absent.npz", "good.svm"}, {"absent.npz: cannot read: No such file"}),
        predict("ModelIsAFolder", {"folder", "good.svm"}, {"folder: cannot read: not a regular file"}),
        predict("ModelWithoutData", {"numbers.npz"}, {"data is required"}),
        predict("ModelIsData", {"good.svm", "good.svm"}, {"good.svm: not an alfcg model"}),
        model("ModelEmpty", "", {"not an alfcg model"}),
        model("ModelTruncated", first_half(whole), {"damaged .npz archive", "cut short"}),
        model("ModelOfAnotherVersion", changed("format_version", array<std::int64_t>("<i8", {}, {99})),
              {"model format 99", "reads up to 3"}),
        model("ModelOfAnotherProgram", without_version, {"not an alfcg model", "format_version"}),
        model("ModelWithWrongWeights", changed("weights", array<float>("<f4", {2, 1}, {1, 2})), {"weights"}),
        predict("PredictMissingData", {"numbers.npz", "absent.svm"}, {"absent.svm: no such file"}),
        predict("PredictTooManyColumns", {"numbers.npz", "p.csv"}, {"p.csv:1: 5 columns, but 3 features"},
                {{"p.csv", "1,2,3,4,5\n1,2,3,4,5\n"}}),
        predict("PredictTooFewColumns", {"numbers.npz", "p.csv"}, {"p.csv:1: 2 columns, but 3 features"},
                {{"p.csv", "1,2\n1,2\n"}}),
        predict("PredictIndexTooLarge", {"numbers.npz", "p.svm"}, {"p.svm:2: index 7", "features, 3"},
                {{"p.svm", "1 1:1\n2 7:1\n"}}),
        predict("PredictOtherArray", {"classes.npz", "good.npy"},
                {"good.npy: 3 features, but the model has 5"}),
        predict("PredictNan", {"numbers.npz", "p.svm"}, {"p.svm:1: value of '1:nan'"},
                {{"p.svm", "1 1:nan\n"}}),
        predict("PredictHalfLabelled", {"numbers.npz", "p.svm"}, {"p.svm:2: no label, but the rows before"},
                {{"p.svm", "1 1:1\n2:1\n"}}),
        predict("ProbabilitiesOfNumbers", {"numbers.npz", "good.svm", "--probabilities"},
                {"--probabilities: numbers.npz", "squared loss, which has none"}),
        predict("PredictThreadsNegative", {"numbers.npz", "good.svm", "--threads", "-1"}, {"from 1 to 1024"}),
        predict("PredictOptionOfTrain", {"numbers.npz", "good.svm", "--features", "3"},
                {"unknown option --features", "alfcg predict --help"}),
    };
}
INSTANTIATE_TEST_SUITE_P(Models, BadInputTest, testing::ValuesIn(models()), case_name);

// A device that is always full; not every system has it.
class FullDiskTest : public BadInputTest {};

TEST_P(FullDiskTest, LeavesTheOtherOutputsAlone) {
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
    expect_refusal(GetParam());
}

std::vector<BadInput> full_disk() {
    const Words says{"/dev/full: cannot write: No space left"};
    const auto train = [&](const std::string& name, const std::string& output) {
        return BadInput{
            name, {"train", "good.svm", "--method", "alfcg-fs", output, "/dev/full"}, says, {}, true};
    };
    return {
        train("Model", "--model"),
        train("Trace", "--trace"),
        train("Batches", "--batches-out"),
        {"Predictions", {"predict", "numbers.npz", "good.svm", "--output", "/dev/full"}, says},
    };
}
INSTANTIATE_TEST_SUITE_P(Outputs, FullDiskTest, testing::ValuesIn(full_disk()), case_name);

TEST_F(BadInputFolder, ProtectedFilesAreNeitherReplacedNorRead) {
    if (geteuid() == 0) GTEST_SKIP() << "root may write and read everything";
    ASSERT_EQ(chmod(folder_.file("old.npz").c_str(), 0444), 0);
    ASSERT_EQ(chmod(folder_.file("folder").c_str(), 0555), 0);
    expect_refusal(bad_option("", {}, {"old.npz: cannot write: Permission denied"}));
    expect_refusal(bad_option("", {"--model", "folder/m"}, {"folder/m: cannot write: Permission denied"}));
    expect_refusal(bad_option("", {"--model", "new", "--trace", "folder/t"}, {"folder/t: cannot write"}));
    write("secret", "1 1:1\n2 2:1\n");
    ASSERT_EQ(chmod(folder_.file("secret").c_str(), 0000), 0);
    const ProgramResult result = run_program({"train", "secret", "--model", "new"}, folder_.path());
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.err, "alfcg: secret: cannot be read: Permission denied\n");
    EXPECT_FALSE(std::filesystem::exists(folder_.file("new")));
}

}  // namespace
}  // namespace alfcg
