"""sbdl.dask: the same model as in one process, on any number of workers."""

import numpy as np
import pytest

pytest.importorskip("distributed")

import dask.array as da
from conftest import same_bits
from distributed import Client, LocalCluster, get_client

import sbdl
import sbdl._cluster as _cluster
import sbdl.dask as sbdl_dask

ROWS, CHUNK = 520, 150  # five blocks, in as many parts


@pytest.fixture(scope="module")
def signals():
    return sbdl.synthetic(n_samples=ROWS, n_features=6, n_components=8, n_nonzero_coefs=2, random_state=2).signals


@pytest.fixture(scope="module")
def array(signals):
    return da.from_array(signals, chunks=(CHUNK, 6))


@pytest.fixture(scope="module")
def cluster():
    with LocalCluster(n_workers=3, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
        yield cluster


def await_workers(client):
    """Wait for three workers. distributed starts killed ones again, but now and then forgets one."""
    try:
        client.wait_for_workers(3, timeout=20)
    except TimeoutError:
        client.cluster.scale(len(client.cluster.worker_spec) + 1)
        client.wait_for_workers(3, timeout=60)


@pytest.fixture
def processes(cluster):
    with Client(cluster) as client:
        await_workers(client)
        yield client


@pytest.fixture(scope="module")
def threads():
    """Two workers in this process, for what does not depend on processes: they start and answer faster."""
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster:
        yield cluster


@pytest.fixture
def client(threads):
    with Client(threads) as client:
        yield client


def learner(method="gibbs", module=sbdl_dask, **changes):
    return module.DictionaryLearning(9, method=method, random_state=3, **{"max_iter": 8, **changes})


def expect_same(got, want):
    assert same_bits(got.components_, want.components_)
    assert same_bits(got.components_std_, want.components_std_)
    assert same_bits(got.trace_["objective"], want.trace_["objective"])
    assert got.noise_sd_ == want.noise_sd_
    assert got.n_iter_ == want.n_iter_


@pytest.fixture(scope="module")
def plain(signals):
    return learner(module=sbdl).fit(signals)


def on_workers(number, monkeypatch):
    """Let fits see only so many of the workers."""
    find = _cluster._addresses
    monkeypatch.setattr(_cluster, "_addresses", lambda *args: find(*args)[:number])


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_same_bits_with_any_number_of_workers(processes, array, plain, workers, monkeypatch):
    on_workers(workers, monkeypatch)
    expect_same(learner().fit(array), plain)


@pytest.mark.parametrize(
    ("method", "changes"), [("vb", {"start_sweeps": 2, "closing_sweeps": 0}), ("bpfa", {"max_iter": 3})]
)
def test_same_bits_with_other_methods(client, array, signals, method, changes):
    params = {"max_iter": 3, **changes}
    expect_same(learner(method, **params).fit(array), learner(method, module=sbdl, **params).fit(signals))


@pytest.mark.parametrize("method", ["mod", "ksvd"])
def test_same_bits_in_rounds(processes, method):
    """Three workers share four parts of the signals, which do not begin at multiples of 128."""
    params = {"n_samples": 2100, "n_features": 6, "n_components": 8, "n_nonzero_coefs": 2, "random_state": 2}
    signals = sbdl.synthetic(**params).signals
    want = learner(method, module=sbdl, sparsity=2).fit(signals)
    expect_same(learner(method, sparsity=2).fit(da.from_array(signals, chunks=(700, 6))), want)


def test_chunks_of_any_shape(client, signals, plain):
    chunks = da.from_array(signals, chunks=(90, 4))
    with pytest.warns(UserWarning, match="chunks of 90 x 4: it is rechunked to whole rows of 6"):
        expect_same(learner().fit(chunks), plain)


def test_missing_entries_and_numbers_of_other_types(client):
    gaps = np.random.default_rng(1).integers(-9, 9, (300, 5)).astype(np.float32)
    gaps[::7, 2] = np.nan
    want = learner(module=sbdl, max_iter=4).fit(gaps)
    expect_same(learner(max_iter=4).fit(da.from_array(gaps, chunks=100)), want)


def test_masked_entries_are_missing(client):
    """In the first and the last rows, too, which the client reads."""
    whole = np.random.default_rng(1).normal(size=(300, 5))
    masked = np.ma.masked_array(whole, mask=False)
    masked.mask[::7, 2] = masked.mask[-1, 0] = True
    want = learner(module=sbdl, max_iter=4).fit(masked)
    fitted = learner(max_iter=4).fit(da.from_array(masked, chunks=(100, 5)))
    expect_same(fitted, want)
    expect_same(learner(max_iter=4).fit(da.ma.masked_array(da.from_array(whole, 90), masked.mask)), want)
    used = [fitted.transform(da.from_array(masked, chunks=(100, 5))).compute(), want.transform(masked)]
    assert same_bits(*used)


def test_what_is_refused(client, array, signals):
    with pytest.raises(ValueError, match=r"unknown size: call X.compute_chunk_sizes\(\)"):
        learner().fit(array[array[:, 0] > 0])
    with pytest.raises(ValueError, match="dtype object"):
        learner().fit(array.astype(object))
    with pytest.raises(ValueError, match="2D dask array, got one of 1 dimensions"):
        learner().fit(array[:, 0])
    with pytest.raises(TypeError, match=r"numpy.ndarray, must be a dask array: dask.array.from_array\(X\)"):
        learner().fit(signals)
    with pytest.raises(ValueError, match="'simco' does not learn on a cluster, only gibbs, vb, ksvd, mod and bpfa do"):
        learner("simco", sparsity=2).fit(array)
    with pytest.raises(ValueError, match="'keep_codes' does not apply on a cluster"):
        learner(keep_codes=True).fit(array)
    with pytest.raises(ValueError, match="X has 5 features, but DictionaryLearning is expecting 6"):
        learner(max_iter=1).fit(array).transform(array[:, :5])


def test_a_fit_needs_a_cluster(array):
    with pytest.raises(ValueError, match="No"):
        get_client()
    with pytest.raises(RuntimeError, match="fit needs a dask cluster"):
        learner().fit(array)


def test_lazy_codes(array, signals, plain):
    """Without a cluster: dask computes in threads of this process."""
    lazy = sbdl_dask.DictionaryLearning.from_model(plain.model_, transform_burn_in=6, transform_draws=5)
    local = sbdl.DictionaryLearning.from_model(plain.model_, transform_burn_in=6, transform_draws=5)
    codes, std, used = lazy.transform(array, return_std=True, return_probability=True)
    assert isinstance(codes, da.Array)
    for got, want in zip(
        (codes, std, used), local.transform(signals, return_std=True, return_probability=True), strict=True
    ):
        assert got.chunks == ((CHUNK, CHUNK, CHUNK, 70), (9,))
        assert same_bits(got.compute(), want)
    assert same_bits(lazy.transform(signals), local.transform(signals))  # an array in memory is coded at once
    np.testing.assert_allclose(lazy.reconstruct(array).compute(), local.reconstruct(signals), rtol=1e-12, atol=1e-12)
    assert abs(lazy.score(array) - local.score(signals)) < 1e-12
    with pytest.raises(ValueError, match="'omp' has no standard deviations"):
        lazy.set_params(transform_algorithm="omp").transform(array, return_std=True)
    with pytest.raises(ValueError, match="X has 3 columns, but there are 9 atoms"):
        lazy.inverse_transform(array[:, :3].rechunk(-1))


def test_lazy_images():
    truth = sbdl.make_image(48, 64, random_state=1)
    noisy = sbdl.make_noisy(truth, 20.0, random_state=1)
    options = {"n_components": 64, "quality": "fast", "max_iter": 2}
    clean = sbdl_dask.denoise(da.from_array(noisy, chunks=(48, 32)), depth=16, sigma=20.0, **options)
    assert isinstance(clean, da.Array)
    assert (clean.shape, clean.dtype, clean.numblocks) == (noisy.shape, noisy.dtype, (1, 2))
    assert sbdl.psnr(truth, clean.compute()) > sbdl.psnr(truth, noisy) + 3
    own, _ = sbdl.denoise(noisy[:, :48], sigma=20.0, **options)
    assert same_bits(clean[:, :32].compute(), own[:, :32])

    stack = np.stack([noisy, noisy[::-1]])
    model = sbdl.denoise(noisy, **options)[1].model
    pages = sbdl_dask.denoise_stack(da.from_array(stack), model=model, **options).compute()
    assert same_bits(pages[1], sbdl.denoise(stack[1], model=model, **options)[0])
    with pytest.raises(TypeError, match="unexpected keyword argument 'callback'"):
        sbdl_dask.denoise(da.from_array(noisy), callback=print)
    with pytest.raises(ValueError, match="sigma"):
        sbdl_dask.denoise(da.from_array(noisy), sigma=-1.0)
    with pytest.raises(ValueError, match="stack has 2 dimensions, must have 3 or, in colour, 4"):
        sbdl_dask.denoise_stack(da.from_array(noisy))
    with pytest.raises(ValueError, match="image has dtype object"):
        sbdl_dask.denoise(da.from_array(noisy).astype(object))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"depth": -1}, r"'depth' parameter of sbdl.dask.denoise must be an int in the range \[0, 48\]. Got -1"),
        ({"depth": 49}, r"'depth' .* \[0, 48\]. Got 49"),
        ({"depth": 2.5}, r"'depth' .* an int .* Got 2.5"),
        ({"method": "none such"}, "method is 'none such', must be one of auto, "),
        ({"method": 3}, "method is 3, must be a str"),
        ({"quality": "auto"}, "'quality' .* Got 'auto'"),
        ({"n_components": None}, "'n_components' .* Got None"),
        ({"sigma": 3.0, "noise": "poisson-gaussian"}, "sigma does not apply"),
        ({"stride": 9}, "stride is 9, must be at most patch"),
        ({"random_state": -1}, "random_state is -1, must be between 0"),
        ({"n_jobs": 0}, "'n_jobs' parameter must be a non-zero int or None. Got 0"),
        ({"model": "model.h5"}, "model is builtins.str, must be an sbdl.Model"),
    ],
)
def test_options_of_images_are_checked_at_once(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        sbdl_dask.denoise(da.zeros((48, 64)), **options)
    if "depth" not in options:
        with pytest.raises((ValueError, TypeError), match=message):
            sbdl_dask.denoise_stack(da.zeros((2, 48, 64)), **options)


@pytest.mark.parametrize(
    ("chunks", "options", "message"),
    [
        (
            (4, 96),
            {"depth": 2},
            r"chunk \(0, 0\) of the image, with a margin of depth=2, has 6 x 96 pixels .* 8 x 8 are",
        ),
        ((93, 96), {"depth": 2}, r"chunk \(1, 0\) of the image, .* has 5 x 96 pixels"),
        (
            (96, 12),
            {"depth": 0, "patch_size": 16, "n_components": 300},
            r"chunk \(0, 0\) .* 96 x 12 .* 16 x 16 are needed",
        ),
    ],
)
def test_chunks_that_are_too_small_are_refused_at_once(chunks, options, message):
    with pytest.raises(ValueError, match=message):
        sbdl_dask.denoise(da.zeros((96, 96), chunks=chunks), **options)
    assert sbdl_dask.denoise(da.zeros((96, 96), chunks=(4, 96)), depth=32).numblocks == (3, 1)  # dask joins them
    with pytest.raises(ValueError, match=r"a page of the stack has 6 x 96 pixels \(height x width\), 8 x 8 are needed"):
        sbdl_dask.denoise_stack(da.zeros((2, 6, 96)))


def test_errors_of_chunks_and_pages_name_them():
    image = np.zeros((48, 64), np.float32)
    image[3, 50] = np.nan
    with pytest.raises(ValueError, match=r"chunk \(0, 1\) of the image, with its margin: .* row 3, column 26 is nan"):
        sbdl_dask.denoise(da.from_array(image, chunks=(48, 32)), depth=8, sigma=1.0).compute(scheduler="sync")
    stack = da.from_array(np.stack([np.random.default_rng(0).normal(size=(48, 64)), image]))
    pages = sbdl_dask.denoise_stack(stack, n_components=64, quality="fast", max_iter=1)
    with pytest.raises(ValueError, match=r"page 1 of the stack: .* row 3, column 50 is nan"):
        pages.compute(scheduler="sync")


def test_a_model_of_other_patches_is_refused_at_once(plain):
    with pytest.raises(ValueError, match="the model's atoms have 6 entries, and patches of patch_size=8 have 64"):
        sbdl_dask.denoise(da.zeros((48, 64)), model=plain.model_)
