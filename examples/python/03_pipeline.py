"""With scikit-learn: a pipeline, and a search over the number of atoms.

python 03_pipeline.py        (needs scikit-learn)
"""

from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sbdl

data = sbdl.synthetic(n_samples=400, n_features=8, n_components=10, n_nonzero_coefs=2, random_state=1)
pipeline = make_pipeline(
    StandardScaler(with_std=False), sbdl.DictionaryLearning(method="ksvd", sparsity=2, max_iter=30, random_state=0)
)
search = GridSearchCV(pipeline, {"dictionarylearning__n_components": [4, 10, 16]}, cv=3).fit(data.signals)
for atoms, score in zip([4, 10, 16], search.cv_results_["mean_test_score"], strict=True):
    print(f"{atoms:2d} atoms explain {100 * score:.1f} % of signals not seen in training")
