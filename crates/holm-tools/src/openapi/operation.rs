//! One operation of a document: its arguments, its body and the schema that a model sees.
//!
//! An operation that cannot be called is left out with the reason; it never becomes a tool that
//! leaves something out silently. Which request a call sends is decided in `request.rs`.

use std::collections::BTreeMap;

use holm_guards::json::{Json, JsonObject};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::document::{OpenApiDocument, RawMembers, items, members, shown};
use super::schema::resolved;
use super::toolbox::OpenApiNaming;
use crate::text::tidy;

/// The methods of operations. `trace` answers with the request, and so with its key.
pub(super) const METHODS: [&str; 7] = ["get", "head", "options", "post", "put", "patch", "delete"];
/// Headers that a document cannot make an argument of: the request itself sets them.
const OWN_HEADERS: [&str; 3] = ["accept", "content-type", "authorization"];
/// The most arguments of an operation.
const MOST_ARGUMENTS: usize = 100;
/// The longest description of a tool, in characters.
const MOST_ABOUT: usize = 300;

/// An operation that a tool can call.
#[derive(Debug, Clone)]
pub(super) struct OpenApiOperation {
    pub(super) id: String,
    /// The method in capital letters.
    pub(super) method: String,
    /// With `{name}` for its parameters.
    pub(super) path: String,
    /// Its own server, if it has one.
    pub(super) server: Option<String>,
    pub(super) about: String,
    pub(super) tags: Vec<String>,
    pub(super) arguments: Vec<OpenApiArgument>,
    pub(super) body: Option<OpenApiBody>,
    pub(super) schema: Json,
    /// Whether it says that it takes no key.
    pub(super) is_keyless: bool,
}

/// A parameter of an operation.
#[derive(Debug, Clone)]
pub(super) struct OpenApiArgument {
    /// Its name for the model.
    pub(super) name: String,
    /// Its name in the request.
    pub(super) wire: String,
    pub(super) place: ArgumentPlace,
    pub(super) style: ArgumentStyle,
    pub(super) explode: bool,
    /// Whether every value is one text: neither a list nor an object.
    pub(super) is_plain: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ArgumentPlace {
    Path,
    Query,
    Header,
}

/// How lists and objects are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArgumentStyle {
    /// With commas between the parts.
    Simple,
    /// As fields of a form.
    Form,
    Space,
    Pipe,
    /// Each member as `name[member]=value`.
    Deep,
    /// The value as JSON.
    Json,
}

/// The body of a request.
#[derive(Debug, Clone)]
pub(super) struct OpenApiBody {
    pub(super) name: String,
    pub(super) media_type: String,
    pub(super) form: BodyForm,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyForm {
    Json,
    /// Fields of a form; members of an object are written as `name[member]=value`.
    Fields,
    /// A text, as it is.
    Text,
}

/// Reads the operations of one document.
pub(super) struct OperationReader<'d, 'a> {
    pub(super) document: &'d OpenApiDocument<'a>,
    pub(super) naming: OpenApiNaming,
    /// Parameters that many operations share.
    shared: BTreeMap<String, ReadParameter>,
}

/// A parameter before it has a name for the model.
#[derive(Debug, Clone)]
struct ReadParameter {
    wire: String,
    place: ArgumentPlace,
    is_required: bool,
    style: ArgumentStyle,
    explode: bool,
    schema: Json,
    is_plain: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawOperation<'a> {
    #[serde(default)]
    operation_id: Option<String>,
    #[serde(default)]
    summary: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(borrow, default)]
    parameters: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    request_body: Option<&'a RawValue>,
    #[serde(borrow, default)]
    servers: Option<&'a RawValue>,
    #[serde(borrow, default)]
    security: Option<&'a RawValue>,
    #[serde(default)]
    deprecated: bool,
}

#[derive(Deserialize)]
struct RawParameter<'a> {
    name: String,
    #[serde(rename = "in")]
    place: String,
    #[serde(default)]
    required: bool,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    style: Option<String>,
    #[serde(default)]
    explode: Option<bool>,
    #[serde(borrow, default)]
    schema: Option<&'a RawValue>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
}

impl<'d, 'a> OperationReader<'d, 'a> {
    pub(super) fn new(document: &'d OpenApiDocument<'a>, naming: OpenApiNaming) -> Self {
        Self { document, naming, shared: BTreeMap::new() }
    }

    /// The operations of a path, and why some are left out.
    pub(super) fn path_item(
        &mut self,
        path: &str,
        raw: &'a RawValue,
    ) -> Vec<Result<OpenApiOperation, String>> {
        let item = self
            .document
            .target(raw)
            .and_then(|raw| members(raw).ok_or_else(|| "it is not an object".to_owned()));
        let item = match item {
            Ok(item) => item,
            Err(why) => return vec![Err(format!("{}: {why}", shown(path)))],
        };
        let methods = METHODS.iter().filter_map(|method| Some((*method, *item.get(*method)?)));
        methods
            .map(|(method, raw)| {
                self.operation(method, path, raw, &item)
                    .map_err(|why| format!("{} {}: {why}", method.to_uppercase(), shown(path)))
            })
            .collect()
    }

    fn operation(
        &mut self,
        method: &str,
        path: &str,
        raw: &'a RawValue,
        item: &RawMembers<'a>,
    ) -> Result<OpenApiOperation, String> {
        let own: RawOperation<'a> = serde_json::from_str(raw.get()).map_err(|error| error.to_string())?;
        if !path.starts_with('/') {
            return Err("its path does not start with a slash".to_owned());
        }
        let above = item.get("parameters").copied().and_then(items).unwrap_or_default();
        let parameters = self.parameters(&above, &own.parameters, path)?;
        let mut built = ArgumentList::new(self.naming);
        for parameter in parameters {
            built.add(parameter)?;
        }
        let body = match own.request_body {
            Some(raw) => self.body(raw, &mut built)?,
            None => None,
        };
        let servers = own.servers.or_else(|| item.get("servers").copied());
        Ok(OpenApiOperation {
            id: own.operation_id.clone().filter(|id| !id.is_empty()).unwrap_or_else(|| id_of(method, path)),
            method: method.to_uppercase(),
            path: path.to_owned(),
            server: servers.and_then(first_server),
            about: description(&own, method, path),
            tags: own.tags,
            schema: built.schema(),
            arguments: built.arguments,
            body,
            is_keyless: own.security.is_some_and(|raw| items(raw).is_some_and(|list| list.is_empty())),
        })
    }

    /// The parameters of the path and of the operation. Those of the operation take precedence.
    fn parameters(
        &mut self,
        above: &[&'a RawValue],
        own: &[&'a RawValue],
        path: &str,
    ) -> Result<Vec<ReadParameter>, String> {
        let mut found: BTreeMap<(ArgumentPlace, String), ReadParameter> = BTreeMap::new();
        let mut order = Vec::new();
        for raw in above.iter().chain(own) {
            let Some(parameter) = self.parameter(raw)? else { continue };
            if parameter.place == ArgumentPlace::Path && !path.contains(&format!("{{{}}}", parameter.wire)) {
                continue;
            }
            let key = (parameter.place, parameter.wire.clone());
            if found.insert(key.clone(), parameter).is_none() {
                order.push(key);
            }
        }
        for name in slots(path)? {
            // A document that forgets to describe one still needs its value.
            let key = (ArgumentPlace::Path, name.to_owned());
            found.entry(key.clone()).or_insert_with(|| {
                order.push(key);
                undescribed(name)
            });
        }
        Ok(order.into_iter().filter_map(|key| found.remove(&key)).collect())
    }

    /// A parameter; `None` if a call can do without it.
    fn parameter(&mut self, raw: &'a RawValue) -> Result<Option<ReadParameter>, String> {
        let Some(reference) = super::document::reference_of(raw) else { return self.read_parameter(raw) };
        if let Some(known) = self.shared.get(&reference) {
            return Ok(Some(known.clone()));
        }
        let read = self.document.target(raw).and_then(|raw| self.read_parameter(raw))?;
        if let Some(read) = &read {
            self.shared.insert(reference, read.clone());
        }
        Ok(read)
    }

    fn read_parameter(&self, raw: &'a RawValue) -> Result<Option<ReadParameter>, String> {
        let own: RawParameter<'a> =
            serde_json::from_str(raw.get()).map_err(|error| format!("a parameter is wrong: {error}"))?;
        let wrong = |what: &str| Err(format!("its parameter `{}` {what}", shown(&own.name)));
        let place = match own.place.as_str() {
            "path" => ArgumentPlace::Path,
            "query" => ArgumentPlace::Query,
            "header" if OWN_HEADERS.contains(&own.name.to_ascii_lowercase().as_str()) => return Ok(None),
            "header" => ArgumentPlace::Header,
            "cookie" if own.required => return wrong("is a cookie, which is not supported"),
            "cookie" => return Ok(None),
            _ => return wrong("is in no known place"),
        };
        let is_required = own.required || place == ArgumentPlace::Path;
        let Some((style, is_exploded)) = style_of(&own, place) else {
            return if is_required { wrong("has a style that is not supported") } else { Ok(None) };
        };
        let raw_schema =
            own.schema.or_else(|| media(own.content?).into_iter().next().and_then(|(_, one)| one));
        let schema = raw_schema.and_then(|raw| Json::parse(raw.get()).ok()).unwrap_or_default();
        let mut schema = resolved(self.document, &schema);
        if let (Json::Object(schema), Some(about)) = (&mut schema, own.description.as_deref()) {
            schema.insert("description".into(), tidy(about, 160).into());
        }
        let is_plain = style != ArgumentStyle::Json && is_scalar(&schema);
        Ok(Some(ReadParameter {
            wire: own.name,
            place,
            is_required,
            style,
            explode: is_exploded,
            schema,
            is_plain,
        }))
    }

    fn body(&self, raw: &'a RawValue, built: &mut ArgumentList) -> Result<Option<OpenApiBody>, String> {
        let body = members(self.document.target(raw)?).ok_or("its body is not an object")?;
        let is_required = body.get("required").is_some_and(|raw| raw.get() == "true");
        let offered = body.get("content").map(|raw| media(raw)).unwrap_or_default();
        let Some((media_type, form, schema)) = choose(&offered) else {
            let kinds: Vec<String> = offered.iter().map(|(kind, _)| shown(kind)).collect();
            let why = format!("its body is {}, which is not supported", kinds.join(" or "));
            return if is_required { Err(why) } else { Ok(None) };
        };
        let schema = schema.and_then(|raw| Json::parse(raw.get()).ok()).unwrap_or_default();
        let mut schema = match form {
            BodyForm::Text => Json::object([("type", Json::from("string"))]),
            BodyForm::Json | BodyForm::Fields => resolved(self.document, &schema),
        };
        if let Json::Object(schema) = &mut schema
            && !schema.contains_key("description")
        {
            schema.insert(
                "description".into(),
                format!("The body of the request ({}).", shown(media_type)).into(),
            );
        }
        let name = built.body(schema, is_required);
        Ok(Some(OpenApiBody { name, media_type: media_type.to_owned(), form }))
    }
}

/// The arguments of a tool, under names that every provider accepts.
struct ArgumentList {
    naming: OpenApiNaming,
    arguments: Vec<OpenApiArgument>,
    properties: JsonObject,
    required: Vec<Json>,
}

impl ArgumentList {
    fn new(naming: OpenApiNaming) -> Self {
        Self { naming, arguments: Vec::new(), properties: JsonObject::new(), required: Vec::new() }
    }

    fn add(&mut self, parameter: ReadParameter) -> Result<(), String> {
        if self.arguments.len() >= MOST_ARGUMENTS {
            return if parameter.is_required { Err("it has too many parameters".to_owned()) } else { Ok(()) };
        }
        let name = self.free(&self.naming.argument(&parameter.wire), parameter.place);
        self.property(&name, parameter.schema, parameter.is_required);
        self.arguments.push(OpenApiArgument {
            name,
            wire: parameter.wire,
            place: parameter.place,
            style: parameter.style,
            explode: parameter.explode,
            is_plain: parameter.is_plain,
        });
        Ok(())
    }

    fn body(&mut self, schema: Json, is_required: bool) -> String {
        let name = self.naming.body().to_owned();
        self.property(&name, schema, is_required);
        name
    }

    fn property(&mut self, name: &str, schema: Json, is_required: bool) {
        self.properties.insert(name.to_owned(), schema);
        if is_required {
            self.required.push(name.into());
        }
    }

    /// The name, or one beside it if it is taken.
    fn free(&self, wanted: &str, place: ArgumentPlace) -> String {
        let is_free = |name: &str| name != self.naming.body() && !self.properties.contains_key(name);
        if is_free(wanted) {
            return wanted.to_owned();
        }
        let place = match place {
            ArgumentPlace::Path => "path",
            ArgumentPlace::Query => "query",
            ArgumentPlace::Header => "header",
        };
        let numbered = (2..).map(|number| format!("{place}_{wanted}_{number}"));
        std::iter::once(format!("{place}_{wanted}"))
            .chain(numbered)
            .find(|name| is_free(name))
            .unwrap_or_default()
    }

    fn schema(&self) -> Json {
        let mut members = vec![
            ("type", Json::from("object")),
            ("properties", Json::Object(self.properties.clone())),
            ("additionalProperties", Json::from(false)),
        ];
        if !self.required.is_empty() {
            members.push(("required", Json::Array(self.required.clone())));
        }
        Json::object(members)
    }
}

/// How a parameter is written; `None` if that is not supported.
fn style_of(own: &RawParameter<'_>, place: ArgumentPlace) -> Option<(ArgumentStyle, bool)> {
    if own.content.is_some() {
        return Some((ArgumentStyle::Json, false));
    }
    let style = match (own.style.as_deref(), place) {
        (None | Some("simple"), ArgumentPlace::Path | ArgumentPlace::Header) => ArgumentStyle::Simple,
        (None | Some("form"), ArgumentPlace::Query) => ArgumentStyle::Form,
        (Some("spaceDelimited"), ArgumentPlace::Query) => ArgumentStyle::Space,
        (Some("pipeDelimited"), ArgumentPlace::Query) => ArgumentStyle::Pipe,
        (Some("deepObject"), ArgumentPlace::Query) => ArgumentStyle::Deep,
        (Some(_), _) => return None,
    };
    Some((style, own.explode.unwrap_or(style == ArgumentStyle::Form)))
}

/// The media types of a `content` with their schemas.
fn media(raw: &RawValue) -> Vec<(String, Option<&RawValue>)> {
    let kinds = members(raw).unwrap_or_default().into_iter();
    kinds.map(|(kind, raw)| (kind, members(raw).and_then(|one| one.get("schema").copied()))).collect()
}

/// The media type to send: JSON if possible, then a form, then text.
fn choose<'m, 'a>(
    offered: &'m [(String, Option<&'a RawValue>)],
) -> Option<(&'m str, BodyForm, Option<&'a RawValue>)> {
    let essence = |kind: &str| kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let rank = |kind: &str| match essence(kind).as_str() {
        "application/json" => Some(0),
        other if other.ends_with("+json") => Some(1),
        "application/x-www-form-urlencoded" => Some(2),
        "*/*" | "application/*" => Some(3),
        other if other.starts_with("multipart/") || other.starts_with("image/") => None,
        _ => Some(4),
    };
    let (best, kind, schema) = offered
        .iter()
        .filter_map(|(kind, schema)| Some((rank(kind)?, kind, *schema)))
        .min_by_key(|one| one.0)?;
    Some(match best {
        0 | 1 => (kind.as_str(), BodyForm::Json, schema),
        2 => (kind.as_str(), BodyForm::Fields, schema),
        3 => ("application/json", BodyForm::Json, schema),
        _ => (kind.as_str(), BodyForm::Text, schema),
    })
}

/// The names in the braces of a path.
pub(super) fn slots(path: &str) -> Result<Vec<&str>, String> {
    let mut names = Vec::new();
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, tail) = after.split_once('}').ok_or("the braces of its path do not pair up")?;
        if before.contains('}') || name.is_empty() || name.contains('{') {
            return Err("the braces of its path do not pair up".to_owned());
        }
        names.push(name);
        rest = tail;
    }
    if rest.contains('}') { Err("the braces of its path do not pair up".to_owned()) } else { Ok(names) }
}

fn undescribed(name: &str) -> ReadParameter {
    ReadParameter {
        wire: name.to_owned(),
        place: ArgumentPlace::Path,
        is_required: true,
        style: ArgumentStyle::Simple,
        explode: false,
        schema: Json::object([("type", Json::from("string"))]),
        is_plain: true,
    }
}

/// Whether a schema admits neither lists nor objects.
fn is_scalar(schema: &Json) -> bool {
    let plain = |kind: &Json| matches!(kind.as_str(), Some("string" | "integer" | "number" | "boolean"));
    match schema.get("type") {
        Some(Json::Array(kinds)) => !kinds.is_empty() && kinds.iter().all(plain),
        Some(kind) => plain(kind),
        None => {
            let parts = ["oneOf", "anyOf"].iter().find_map(|name| schema.get(name)?.as_array());
            parts.is_some_and(|parts| parts.iter().all(is_scalar))
        }
    }
}

/// The address of the first server of a list, with the defaults of its variables.
pub(super) fn first_server(raw: &RawValue) -> Option<String> {
    let list = items(raw)?;
    let server = members(list.first()?)?;
    let text = |raw: &RawValue| serde_json::from_str::<String>(raw.get()).ok();
    let mut url = text(server.get("url")?)?;
    for (name, raw) in server.get("variables").copied().and_then(members).unwrap_or_default() {
        let default = members(raw).and_then(|variable| text(variable.get("default")?)).unwrap_or_default();
        url = url.replace(&format!("{{{name}}}"), &default);
    }
    Some(url)
}

fn id_of(method: &str, path: &str) -> String {
    format!("{method}{path}")
}

fn description(own: &RawOperation<'_>, method: &str, path: &str) -> String {
    let summary = own.summary.as_deref().unwrap_or_default().trim();
    let rest = own.description.as_deref().unwrap_or_default().trim();
    let mut text = tidy(summary, MOST_ABOUT).replace('\n', " ");
    if !text.is_empty() && !text.ends_with(['.', '!', '?', '…']) {
        text.push('.');
    }
    if own.deprecated {
        text.push_str(" Deprecated.");
    }
    if rest != summary && !rest.is_empty() {
        text = format!("{text} {}", tidy(rest, MOST_ABOUT.saturating_sub(text.len())).replace('\n', " "));
    }
    format!("{} ({} {})", text.trim(), method.to_uppercase(), shown(path)).trim_start().to_owned()
}
