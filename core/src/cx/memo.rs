//! What the runs of one call need not find out twice.

use crate::refuse::Step;
use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Values by name, kept from one run of a call to the next. `Arc`, so that an instance may change threads.
#[derive(Debug, Default)]
pub(crate) struct Memo(RefCell<BTreeMap<&'static str, Arc<dyn Any + Send + Sync>>>);

impl Memo {
    /// The value under `name`, made at the first time it is asked for. A stopped `make` leaves nothing behind.
    pub(crate) fn once<T: Any + Send + Sync>(
        &self,
        name: &'static str,
        make: impl FnOnce() -> Step<T>,
    ) -> Step<Arc<T>> {
        let known = self.0.borrow().get(name).cloned();
        if let Some(value) = known.and_then(|value| value.downcast().ok()) {
            return Ok(value);
        }
        let value = Arc::new(make()?);
        self.0
            .borrow_mut()
            .insert(name, Arc::clone(&value) as Arc<dyn Any + Send + Sync>);
        Ok(value)
    }

    /// The value under `name` made for `key`; one made for another key is forgotten.
    pub(crate) fn latest<T: Any + Send + Sync>(
        &self,
        name: &'static str,
        key: String,
        make: impl FnOnce() -> Step<T>,
    ) -> Step<Arc<(String, T)>> {
        let known = self.0.borrow().get(name).cloned();
        let known = known.and_then(|value| value.downcast::<(String, T)>().ok());
        if let Some(value) = known.filter(|value| value.0 == key) {
            return Ok(value);
        }
        let value = Arc::new((key, make()?));
        self.0
            .borrow_mut()
            .insert(name, Arc::clone(&value) as Arc<dyn Any + Send + Sync>);
        Ok(value)
    }

    pub(crate) fn clear(&self) {
        self.0.borrow_mut().clear();
    }
}
