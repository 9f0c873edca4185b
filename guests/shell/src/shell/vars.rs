//! Variables: texts, lists and maps, in scopes that functions open.

use std::collections::BTreeMap;

/// The value of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum VariableValue {
    /// Declared and nothing else.
    Unset,
    Text(String),
    /// An indexed array of texts.
    List(BTreeMap<i64, String>),
    /// An associative array of texts.
    Map(BTreeMap<String, String>),
}

/// A variable and its attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShellVariable {
    pub(crate) value: VariableValue,
    pub(crate) exported: bool,
    pub(crate) readonly: bool,
    pub(crate) integer: bool,
}

/// All variables. A name is looked up from the innermost function outwards, as in every shell.
#[derive(Debug, Clone, Default)]
pub(crate) struct VariableScopes {
    outer: BTreeMap<String, ShellVariable>,
    inner: Vec<BTreeMap<String, ShellVariable>>,
}

/// The most elements that a number may ask for: a hostile script must not fill
/// memory with one index.
const MAX_INDEX: i64 = 1 << 40;

impl Default for ShellVariable {
    fn default() -> Self {
        Self { value: VariableValue::Unset, exported: false, readonly: false, integer: false }
    }
}

impl VariableScopes {
    pub(crate) fn open_scope(&mut self) {
        self.inner.push(BTreeMap::new());
    }

    pub(crate) fn close_scope(&mut self) {
        self.inner.pop();
    }

    pub(crate) fn in_function(&self) -> bool {
        !self.inner.is_empty()
    }

    pub(crate) fn find(&self, name: &str) -> Option<&ShellVariable> {
        self.inner.iter().rev().find_map(|scope| scope.get(name)).or_else(|| self.outer.get(name))
    }

    /// The variable of a name. A missing one is created outside all functions.
    pub(crate) fn entry(&mut self, name: &str) -> &mut ShellVariable {
        let index = self.inner.iter().rposition(|scope| scope.contains_key(name)).map_or(0, |at| at + 1);
        self.scope(index).entry(name.to_owned()).or_default()
    }

    /// A scope by its depth; 0 is outside all functions.
    fn scope(&mut self, depth: usize) -> &mut BTreeMap<String, ShellVariable> {
        match depth.checked_sub(1).and_then(|index| self.inner.get_mut(index)) {
            Some(scope) => scope,
            None => &mut self.outer,
        }
    }

    /// Makes a variable of the innermost function.
    pub(crate) fn declare_local(&mut self, name: &str) -> &mut ShellVariable {
        let last = self.inner.len();
        self.scope(last).entry(name.to_owned()).or_default()
    }

    pub(crate) fn remove(&mut self, name: &str) {
        let found = self.inner.iter_mut().rev().find(|scope| scope.contains_key(name));
        found.unwrap_or(&mut self.outer).remove(name);
    }

    /// The text of a variable; of a list its first element.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        match &self.find(name)?.value {
            VariableValue::Unset => None,
            VariableValue::Text(text) => Some(text.clone()),
            VariableValue::List(list) => list.get(&0).cloned(),
            VariableValue::Map(map) => map.get("0").cloned(),
        }
    }

    pub(crate) fn set_text(&mut self, name: &str, text: String) {
        let var = self.entry(name);
        match &mut var.value {
            VariableValue::List(list) => drop(list.insert(0, text)),
            VariableValue::Map(map) => drop(map.insert("0".to_owned(), text)),
            VariableValue::Unset | VariableValue::Text(_) => var.value = VariableValue::Text(text),
        }
    }

    pub(crate) fn set(&mut self, name: &str, value: VariableValue) {
        self.entry(name).value = value;
    }

    pub(crate) fn export_text(&mut self, name: &str, text: String) {
        self.set_text(name, text);
        self.entry(name).exported = true;
    }

    /// All elements in order.
    pub(crate) fn elements(&self, name: &str) -> Vec<String> {
        match self.find(name).map(|var| &var.value) {
            None | Some(VariableValue::Unset) => Vec::new(),
            Some(VariableValue::Text(text)) => vec![text.clone()],
            Some(VariableValue::List(list)) => list.values().cloned().collect(),
            Some(VariableValue::Map(map)) => map.values().cloned().collect(),
        }
    }

    /// The numbers or names of all elements.
    pub(crate) fn keys(&self, name: &str) -> Vec<String> {
        match self.find(name).map(|var| &var.value) {
            None | Some(VariableValue::Unset) => Vec::new(),
            Some(VariableValue::Text(_)) => vec!["0".to_owned()],
            Some(VariableValue::List(list)) => list.keys().map(i64::to_string).collect(),
            Some(VariableValue::Map(map)) => map.keys().cloned().collect(),
        }
    }

    pub(crate) fn is_map(&self, name: &str) -> bool {
        matches!(self.find(name).map(|var| &var.value), Some(VariableValue::Map(_)))
    }

    pub(crate) fn is_readonly(&self, name: &str) -> bool {
        self.find(name).is_some_and(|var| var.readonly)
    }

    /// An element by its number; a negative one counts from the end.
    pub(crate) fn element(&self, name: &str, index: i64) -> Option<String> {
        match &self.find(name)?.value {
            VariableValue::Unset | VariableValue::Map(_) => None,
            VariableValue::Text(text) => (index == 0 || index == -1).then(|| text.clone()),
            VariableValue::List(list) => list.get(&position(list, index)?).cloned(),
        }
    }

    pub(crate) fn member(&self, name: &str, key: &str) -> Option<String> {
        match &self.find(name)?.value {
            VariableValue::Map(map) => map.get(key).cloned(),
            VariableValue::Unset | VariableValue::Text(_) | VariableValue::List(_) => None,
        }
    }

    /// Sets an element; a text becomes the first of a list.
    pub(crate) fn set_element(&mut self, name: &str, index: i64, text: String) -> Result<(), String> {
        let var = self.entry(name);
        let mut list = match std::mem::replace(&mut var.value, VariableValue::Unset) {
            VariableValue::List(list) => list,
            VariableValue::Text(first) => BTreeMap::from([(0, first)]),
            VariableValue::Unset | VariableValue::Map(_) => BTreeMap::new(),
        };
        let at = if index < 0 { position(&list, index) } else { Some(index) };
        let set = at.filter(|&at| at < MAX_INDEX).map(|at| drop(list.insert(at, text)));
        var.value = VariableValue::List(list);
        set.ok_or_else(|| format!("{name}[{index}]: bad array subscript"))
    }

    pub(crate) fn set_member(&mut self, name: &str, key: &str, text: String) {
        let var = self.entry(name);
        match &mut var.value {
            VariableValue::Map(map) => drop(map.insert(key.to_owned(), text)),
            VariableValue::Unset | VariableValue::Text(_) | VariableValue::List(_) => {
                var.value = VariableValue::Map(BTreeMap::from([(key.to_owned(), text)]));
            }
        }
    }

    pub(crate) fn remove_element(&mut self, name: &str, key: &str) {
        match &mut self.entry(name).value {
            VariableValue::Map(map) => drop(map.remove(key)),
            VariableValue::List(list) => {
                if let Some(at) = key.parse().ok().and_then(|index| position(list, index)) {
                    list.remove(&at);
                }
            }
            VariableValue::Unset | VariableValue::Text(_) => {}
        }
    }

    /// Every name that can be seen, once.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.inner.iter().chain([&self.outer]).flat_map(BTreeMap::keys).cloned().collect();
        names.sort();
        names.dedup();
        names
    }

    /// The environment of a command.
    pub(crate) fn exported(&self) -> Vec<(String, String)> {
        let exported = |name: &String| self.find(name).is_some_and(|var| var.exported);
        self.names()
            .into_iter()
            .filter(exported)
            .filter_map(|name| Some((name.clone(), self.text(&name)?)))
            .collect()
    }
}

fn position(list: &BTreeMap<i64, String>, index: i64) -> Option<i64> {
    if index >= 0 {
        return Some(index);
    }
    let end = list.keys().next_back()? + 1;
    Some(end + index).filter(|at| *at >= 0)
}
