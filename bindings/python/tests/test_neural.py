"""Autoencoders and Boltzmann machines: checkpoints, energies, samples."""

import lowland
import numpy as np
import pytest

SETTINGS = dict(
    hidden_layer_sizes=(12, 6), pretraining="rbm", pretraining_epochs=3, max_iter=12, lbfgs_steps=0, random_state=2
)


def rows(n=150, seed=0):
    rng = np.random.default_rng(seed)
    t = rng.uniform(size=(n, 1))
    return np.sin(np.arange(1, 7) * 2 * t) + 0.05 * rng.normal(size=(n, 6))


def test_a_training_is_shown_stopped_and_gone_on_with(tmp_path):
    X, file = rows(), tmp_path / "c.lowland"
    whole = lowland.Autoencoder(**SETTINGS).fit(X)
    seen = []

    def callback(iteration, loss, layout):
        seen.append((iteration, loss, layout))
        return len(seen) == 2

    stopped = lowland.Autoencoder(**SETTINGS, callback=callback, callback_every=3, checkpoint=file)
    with pytest.warns(lowland.FitWarning, match="asked to stop"):
        stopped.fit(X)
    assert file.exists() and len(seen) == 2
    assert seen[0][2].shape == (150, 2) and seen[1][1] < seen[0][1]
    np.testing.assert_array_equal(stopped.embedding_, seen[1][2])
    resumed = lowland.Autoencoder(**SETTINGS).resume(X, file)
    np.testing.assert_array_equal(resumed.embedding_, whole.embedding_)
    assert resumed.report_["losses"] == whole.report_["losses"]
    with pytest.raises(lowland.LowlandError, match="other rows"):
        lowland.Autoencoder(**SETTINGS).resume(rows(seed=1), file)
    with pytest.raises(lowland.ParameterError, match="checkpoint_seconds"):
        lowland.Autoencoder(checkpoint=file, checkpoint_seconds=-1).fit(X)


def test_checkpoints_are_written_on_the_way(tmp_path):
    X, file = rows(), tmp_path / "c.lowland"
    whole = lowland.Autoencoder(**SETTINGS, checkpoint=file, checkpoint_seconds=0).fit(X)
    assert file.exists()
    resumed = lowland.Autoencoder(**SETTINGS).resume(X, file)
    np.testing.assert_array_equal(resumed.embedding_, whole.embedding_)


def test_layouts_go_on_from_a_checkpoint_too(tmp_path):
    X, file = rows(), tmp_path / "c.lowland"
    whole = lowland.UMAP(n_epochs=40, random_state=1).fit(X)
    stopped = lowland.UMAP(n_epochs=40, random_state=1, callback=lambda *_: True, callback_every=15, checkpoint=file)
    with pytest.warns(lowland.FitWarning):
        stopped.fit(X)
    resumed = lowland.UMAP(n_epochs=40, random_state=1).resume(X, file)
    np.testing.assert_array_equal(resumed.embedding_, whole.embedding_)


def test_boltzmann_machines_have_features_energies_and_samples():
    rng = np.random.default_rng(3)
    pattern = np.array([1, 1, 1, 0, 0, 0])
    X = np.where(rng.uniform(size=(400, 1)) < 0.5, pattern, 1 - pattern).astype(float)
    machine = lowland.RBM(n_components=4, learning_rate=0.02, sampling_steps=50).fit(X)
    assert machine.transform(X).shape == (400, 4) and machine.components_.shape == (4, 6)
    likely, unlikely = machine.free_energy(np.array([pattern, [1, 0, 1, 0, 1, 0]], dtype=float))
    assert likely + 2 < unlikely
    # The free energy by hand: -b'x - sum of ln(1 + e^(c + Wx)).
    inputs = X @ machine.components_.T + machine.intercept_hidden_
    by_hand = -X @ machine.intercept_visible_ - np.logaddexp(0, inputs).sum(axis=1)
    np.testing.assert_allclose(machine.free_energy(X), by_hand, atol=1e-4)
    np.testing.assert_allclose(machine.transform(X), 1 / (1 + np.exp(-inputs)), atol=1e-5)
    drawn = machine.sample(300, random_state=5)
    assert set(np.unique(drawn)) <= {0.0, 1.0}
    near = np.minimum(np.abs(drawn - pattern).sum(1), np.abs(drawn - (1 - pattern)).sum(1)) <= 1
    assert near.mean() > 0.7
    assert machine.inverse_transform(machine.transform(X)).shape == X.shape
