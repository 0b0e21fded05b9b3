#include "evaluation.hpp"

#include "field_reader.hpp"

namespace plypilot::bind {

namespace {

/// The layers of a network, which has as many inputs, units and outputs as its arrays say.
struct LayerFields {
    NetworkWeights::Function function = NetworkWeights::Function::tanh;
    Matrix hidden;
    std::vector<float> hidden_bias;
    Matrix output;
    Matrix direct;
    std::vector<float> output_bias;

    static constexpr auto fields() {
        using Self = LayerFields;
        return field_list<&Self::function, &Self::hidden, &Self::hidden_bias, &Self::output, &Self::direct,
                          &Self::output_bias>();
    }
};

struct NetworkFields {
    std::string set;
    float scale = 0;
    bool first_player = false;
    LayerFields layers;

    static constexpr auto fields() {
        using Self = NetworkFields;
        return field_list<&Self::set, &Self::scale, &Self::first_player, &Self::layers>();
    }
};

struct TermFields {
    std::string set;
    std::vector<float> weights;

    static constexpr auto fields() { return field_list<&TermFields::set, &TermFields::weights>(); }
};

struct EvaluationFields {
    EvaluationSettings::Kind kind = EvaluationSettings::Kind::zero;
    std::vector<TermFields> terms;
    std::optional<NetworkFields> network;
    int random_size = 0;
    bool random_from_zero = false;
    std::uint64_t seed = 0;

    static constexpr auto fields() {
        using Self = EvaluationFields;
        return field_list<&Self::kind, &Self::terms, &Self::network, &Self::random_size, &Self::random_from_zero,
                          &Self::seed>();
    }
};

Network made_of(LayerFields layers) {
    NetworkWeights made;
    made.inputs = layers.hidden.values.empty() ? layers.direct.rows : layers.hidden.rows;
    made.units = layers.hidden.values.empty() ? 0 : layers.hidden.columns;
    made.outputs = layers.output.values.empty() ? layers.direct.columns : layers.output.columns;
    made.hidden = std::move(layers.hidden.values);
    made.hidden_bias = std::move(layers.hidden_bias);
    made.output = std::move(layers.output.values);
    made.direct = std::move(layers.direct.values);
    made.output_bias = std::move(layers.output_bias);
    made.function = layers.function;
    return Network(std::move(made));
}

/// What is given for the features of a set must be as many as they are, and the set one that judges positions.
void check_features(const GameInfo& info, int set, std::size_t given, const char* what) {
    const FeatureSet& chosen = info.feature_sets[static_cast<std::size_t>(set)];
    if (chosen.is_of_path)
        throw nb::value_error(("evaluation: " + std::string(chosen.name) + " depends on the moves before").c_str());
    const std::size_t features = chosen.features.size();
    if (given != features)
        throw nb::value_error(("evaluation: expected " + std::to_string(features) + " " + what).c_str());
}

}  // namespace

int set_number(const GameInfo& info, const std::string& name) {
    for (std::size_t i = 0; i < info.feature_sets.size(); ++i) {
        if (info.feature_sets[i].name == name) return static_cast<int>(i);
    }
    throw nb::key_error(("no feature set " + name).c_str());
}

Network read_network(nb::handle layers) { return made_of(FieldReader().read<LayerFields>(layers, "network")); }

EvaluationSettings read_evaluation(const GameInfo& info, nb::handle evaluation) {
    auto given = FieldReader().read<EvaluationFields>(evaluation, "evaluation");
    EvaluationSettings made;
    made.kind = given.kind;
    made.random_size = given.random_size;
    made.random_from_zero = given.random_from_zero;
    made.seed = given.seed;
    for (TermFields& term : given.terms) {
        const int set = set_number(info, term.set);
        check_features(info, set, term.weights.size(), "weights");
        made.terms.emplace_back(set, std::move(term.weights));
    }
    if (!given.network) {
        if (made.kind == EvaluationSettings::Kind::network) throw nb::value_error("evaluation.network is missing");
        return made;
    }
    made.network.set = set_number(info, given.network->set);
    made.network.scale = given.network->scale;
    made.network.first_player = given.network->first_player;
    made.network.network = made_of(std::move(given.network->layers));
    check_features(info, made.network.set, made.network.network.weights().inputs, "inputs");
    if (made.network.network.weights().outputs != 1) throw nb::value_error("evaluation.network: expected one output");
    return made;
}

}  // namespace plypilot::bind
