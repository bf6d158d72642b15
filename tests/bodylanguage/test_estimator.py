"""The estimator: what sklearn's checks ask for, and the same model as the command's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kinesphere as ks
from kinesphere.bodylanguage.learn.estimator import BodyLanguageEstimator
from kinesphere.bodylanguage.learn.training import TrainingSettings
from kinesphere.bodylanguage.model_file import model_bytes
from kinesphere.corpus.pairs.pairs import find_pairs
from kinesphere.corpus.pairs.recordings import read_pair
from kinesphere.errors import InvalidValueError, KinesphereError
from tests.conftest import smooth_clip
from tests.pipeline.talking import corpus, talking, trained

SMALL = {"clusters": (4, 5, 3), "seed": 2, "name": "me"}


def test_construction_only_stores() -> None:
    odd: Any = object()
    estimator = BodyLanguageEstimator(clusters=odd)
    assert estimator.get_params()["clusters"] is odd
    assert "model_" not in repr(estimator)
    assert not [name for name in vars(estimator) if name.endswith("_")]
    with pytest.raises(AttributeError):
        _ = estimator.model_


def test_parameters_can_be_asked_for_changed_and_cloned() -> None:
    estimator = BodyLanguageEstimator(**SMALL)
    params = estimator.get_params()
    assert list(params) == list(BodyLanguageEstimator.__init__.__annotations__)[: len(params)]
    clone = type(estimator)(**params)
    assert all(clone.get_params()[name] is value for name, value in params.items())
    assert estimator.set_params(seed=5) is estimator
    assert (estimator.seed, clone.seed) == (5, 2)
    with pytest.raises(InvalidValueError, match="no parameter 'seeds'"):
        estimator.set_params(seeds=1)


def test_it_learns_what_the_command_learns() -> None:
    pairs = (read_pair(pair) for pair in find_pairs(corpus()).pairs)
    estimator = BodyLanguageEstimator()
    assert estimator.fit(pairs) is estimator
    wanted = trained().model
    found = estimator.model_
    assert np.array_equal(found.turns, wanted.turns)
    assert np.array_equal(found.pelvis, wanted.pelvis)
    for name, stream in wanted.streams.items():
        for part in ("transitions", "observations", "curves", "lengths_s", "segments"):
            assert np.array_equal(getattr(found.streams[name], part), getattr(stream, part)), part
        assert np.array_equal(np.concatenate(estimator.labels_[name]), stream.segments[:, 2])
        assert estimator.n_segments_[name] == len(stream.segments)
        assert estimator.n_clusters_[name] == len(stream)


def test_takes_will_do_and_the_same_fit_is_the_same() -> None:
    takes = [talking(30.0, i) for i in range(2)]
    estimator = BodyLanguageEstimator(**SMALL)
    first = model_bytes(estimator.fit(takes).model_)
    assert estimator.speakers_ == ("me",)
    assert model_bytes(estimator.fit(iter(takes)).model_) == first
    both = estimator.fit(takes, speakers=["anna", "ben"])
    assert both.speakers_ == ("anna", "ben")
    assert both.model_.provenance["seconds"] == {"anna": 30.0, "ben": 30.0}
    more = estimator.set_params(settings=TrainingSettings(least_members=1), clusters=(9, 9, 9))
    assert more.fit(takes).n_clusters_ == {"head": 9, "arms": 9, "lower": 9}


def test_another_body_is_brought_to_ours() -> None:
    take = talking(25.0)
    larger = ks.Take(
        ks.Clip(
            take.clip.skeleton.scale(1.3),
            take.clip.fps,
            1.3 * take.clip.root_positions,
            take.clip.rotations,
        ),
        take.audio,
    )
    a = BodyLanguageEstimator(**SMALL).fit([take]).model_
    b = BodyLanguageEstimator(**SMALL).fit([larger]).model_
    assert np.abs(a.turns - b.turns).max() < 0.02


def test_what_cannot_be_learned_from_is_said(rng: np.random.Generator) -> None:
    estimator = BodyLanguageEstimator()
    still = ks.Take(smooth_clip(ks.default_skeleton(), rng))
    for pairs, said in (
        ([still], "take 1 has no audio"),
        ([talking(5.0)], "at least 20 s"),
        (["a.bvh"], "str is neither a take"),
        ([], "0.0 s of motion"),
    ):
        with pytest.raises(KinesphereError, match=said):
            estimator.fit(pairs)
    with pytest.raises(InvalidValueError, match="clusters"):
        estimator.set_params(clusters=(1, 2, 3)).fit([talking(5.0)])
