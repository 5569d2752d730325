//! Fitted models and fits in chunks, as Python holds them.

use crate::convert::{self, Data, Settings, from_datum, from_value, to_array};
use crate::errors::raised;
use crate::watch::watched;
use lowland::spectral::Gram;
use lowland::{Chunks, InputKind, load_bytes, save_named};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// A fitted model. Nothing in it changes by being used.
#[pyclass(frozen, module = "lowland._native")]
pub struct Model(pub Box<dyn lowland::Model>);

#[pymethods]
impl Model {
    /// A model from the bytes of a model file.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        load_bytes(bytes).map(Self).map_err(|e| raised(py, e))
    }

    /// The bytes of a model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.0.to_bytes()).map_err(|e| raised(py, e))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Writes a model file, whole or not at all; with the names of the columns, if there are any.
    #[pyo3(signature = (path, names=None))]
    fn save(&self, py: Python<'_>, path: PathBuf, names: Option<Vec<String>>) -> PyResult<()> {
        let saved = py.detach(|| match &names {
            Some(names) => save_named(&*self.0, names, &path),
            None => self.0.save(&path),
        });
        saved.map_err(|e| raised(py, e))
    }

    /// The name of the method.
    #[getter]
    fn method(&self) -> &'static str {
        self.0.entry().name
    }

    /// The width of the data.
    #[getter]
    fn features(&self) -> usize {
        self.0.features()
    }

    /// The width of the embedding.
    #[getter]
    fn components(&self) -> usize {
        self.0.components()
    }

    /// The parameters of the fit, as the constructor of the class takes them.
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let entry = self.0.entry();
        let values = self.0.parameters();
        let parameters = PyDict::new(py);
        for parameter in (entry.parameters)() {
            let Some((name, value)) = values.iter().find(|(name, _)| *name == parameter.name) else {
                continue;
            };
            let open = *value == parameter.default && entry.is_left_open(&parameter);
            parameters.set_item(name, if open { py.None() } else { from_value(py, value)? })?;
        }
        Ok(parameters)
    }

    /// The report of the fit as JSON, and its warnings in words.
    fn report(&self) -> (String, Vec<String>) {
        let report = self.0.report();
        let words = report.warnings.iter().map(ToString::to_string).collect();
        (serde_json::json!(report).to_string(), words)
    }

    /// What the method has found: names with values.
    fn attributes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let attributes = PyDict::new(py);
        for attribute in self.0.attributes() {
            attributes.set_item(attribute.name, from_datum(py, attribute.value)?)?;
        }
        Ok(attributes)
    }

    /// What the attributes mean: names with sentences.
    fn meanings(&self) -> Vec<(&'static str, &'static str)> {
        self.0.attributes().iter().map(|attribute| (attribute.name, attribute.meaning)).collect()
    }

    /// The embedding of the training rows, where the model holds it.
    fn embedding(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.0.embedding().map(|embedding| to_array(py, embedding.clone()))
    }

    /// Embeds new rows.
    fn transform(
        &self,
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        kind: &str,
        settings: &Settings,
    ) -> PyResult<Py<PyAny>> {
        let data = Data::extract(py, data)?;
        let input = data.input(py, convert::kind(py, kind)?)?;
        Ok(to_array(py, watched(py, settings, |run| self.0.transform(input, run))?))
    }

    /// The cluster of each row.
    fn assign(
        &self,
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        kind: &str,
        settings: &Settings,
    ) -> PyResult<Py<PyAny>> {
        let data = Data::extract(py, data)?;
        let input = data.input(py, convert::kind(py, kind)?)?;
        let labels = watched(py, settings, |run| self.0.assign(input, run))?;
        let labels: Vec<i64> = labels.into_iter().map(i64::from).collect();
        Ok(labels.into_pyarray(py).into_any().unbind())
    }

    /// The normalized kernel between rows and the model's anchors; None where it is not a spectral model.
    fn kernel(
        &self,
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        kind: &str,
        settings: &Settings,
    ) -> PyResult<Option<Py<PyAny>>> {
        let data = Data::extract(py, data)?;
        let input = data.input(py, convert::kind(py, kind)?)?;
        let Some(spectral) = self.0.spectral() else { return Ok(None) };
        let kernel = watched(py, settings, |run| spectral.kernel(input, run))?;
        Ok(Some(kernel.into_pyarray(py).into_any().unbind()))
    }

    /// The Gram matrix between the model's anchors; None where it is not a spectral model.
    fn gram(
        &self,
        py: Python<'_>,
        kernel: &str,
        time: Option<f64>,
        shift: Option<f64>,
        settings: &Settings,
    ) -> PyResult<Option<Py<PyAny>>> {
        let Some(spectral) = self.0.spectral() else { return Ok(None) };
        let gram = Gram::new(kernel, time, shift).map_err(|e| raised(py, e))?;
        let matrix = watched(py, settings, |run| spectral.gram(gram, run))?;
        Ok(Some(matrix.into_pyarray(py).into_any().unbind()))
    }

    /// How much of that kernel the components leave unexplained: mean squared, and as a share; None as above.
    fn kernel_error(
        &self,
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        kind: &str,
        settings: &Settings,
    ) -> PyResult<Option<(f64, f64)>> {
        let data = Data::extract(py, data)?;
        let input = data.input(py, convert::kind(py, kind)?)?;
        let Some(spectral) = self.0.spectral() else { return Ok(None) };
        let error = watched(py, settings, |run| spectral.kernel_error(input, run))?;
        Ok(Some((error.mean_squared, error.relative)))
    }

    /// From rows of the embedding back to the space of the data.
    fn inverse(&self, py: Python<'_>, data: &Bound<'_, PyAny>, settings: &Settings) -> PyResult<Py<PyAny>> {
        let data = Data::extract(py, data)?;
        let input = data.input(py, InputKind::Points)?;
        Ok(to_array(py, watched(py, settings, |run| self.0.inverse(input, run))?))
    }

    /// The logarithm of the density at each row.
    fn log_density(
        &self,
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        settings: &Settings,
    ) -> PyResult<Py<PyAny>> {
        let data = Data::extract(py, data)?;
        let input = data.input(py, InputKind::Points)?;
        let density = watched(py, settings, |run| self.0.log_density(input, run))?;
        Ok(density.into_pyarray(py).into_any().unbind())
    }

    /// The free energy of each row.
    fn free_energy(
        &self,
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        settings: &Settings,
    ) -> PyResult<Py<PyAny>> {
        let data = Data::extract(py, data)?;
        let input = data.input(py, InputKind::Points)?;
        let energy = watched(py, settings, |run| self.0.free_energy(input, run))?;
        Ok(energy.into_pyarray(py).into_any().unbind())
    }

    /// The responsibility of each part of a mixture for each row.
    fn responsibilities(
        &self,
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        settings: &Settings,
    ) -> PyResult<Py<PyAny>> {
        let data = Data::extract(py, data)?;
        let input = data.input(py, InputKind::Points)?;
        let shares = watched(py, settings, |run| self.0.responsibilities(input, run))?;
        Ok(shares.into_pyarray(py).into_any().unbind())
    }

    /// The rows with their missing values filled in.
    fn impute(&self, py: Python<'_>, data: &Bound<'_, PyAny>, settings: &Settings) -> PyResult<Py<PyAny>> {
        let data = Data::extract(py, data)?;
        let input = data.input(py, InputKind::Points)?;
        Ok(to_array(py, watched(py, settings, |run| self.0.impute(input, run))?))
    }

    /// Rows drawn from the density.
    fn sample(&self, py: Python<'_>, count: usize, settings: &Settings) -> PyResult<Py<PyAny>> {
        let rows = watched(py, settings, |run| self.0.sample(count, run))?;
        Ok(rows.into_pyarray(py).into_any().unbind())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Self>().getattr("from_bytes")?, (self.to_bytes(py)?,)))
    }

    fn __copy__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    /// Models do not change, so that one is as good as two; this also keeps the embedding.
    fn __deepcopy__<'py>(this: PyRef<'py, Self>, _memo: &Bound<'py, PyAny>) -> PyRef<'py, Self> {
        this
    }
}

/// A fit whose data come in chunks.
#[pyclass(frozen, module = "lowland._native")]
pub struct Stream(Mutex<Box<dyn Chunks>>);

impl Stream {
    pub fn new(chunks: Box<dyn Chunks>) -> Self {
        Self(Mutex::new(chunks))
    }
}

#[pymethods]
impl Stream {
    /// Takes a chunk of rows.
    fn push(&self, py: Python<'_>, data: &Bound<'_, PyAny>, settings: &Settings) -> PyResult<()> {
        let data = Data::extract(py, data)?;
        let input = data.input(py, InputKind::Points)?;
        watched(py, settings, |run| self.0.lock().unwrap_or_else(PoisonError::into_inner).push(input, run))
    }

    /// The model of all rows seen.
    fn finish(&self, py: Python<'_>, settings: &Settings) -> PyResult<Model> {
        watched(py, settings, |run| self.0.lock().unwrap_or_else(PoisonError::into_inner).finish(run))
            .map(Model)
    }
}
