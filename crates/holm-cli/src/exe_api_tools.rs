//! OpenAPI toolboxes of agents of agents-exe as tools, under the names that their prompts use. The
//! entries are parsed in `holm-config/src/agents_exe/api.rs`, and `holm-tools/src/openapi/` makes
//! the tools.
//!
//! A secret in the agent's file or in its keys file goes to the toolbox's server only. Variables,
//! files and programs are not read for such a project, because its user was never asked for them; the
//! key that is stored for the host takes their place.

use std::path::Path;

use holm::{
    grants::{Url, UrlScheme},
    models::SecretString,
};
use holm_config::{
    agents_exe::{
        ExeApi, ExeApiEntry, ExeHiddenText, ExeKeys, ExeSecret, ExeSecretDecoder, ExeSecretPlace,
        ExeSecretSource,
    },
    read_plain,
};
use holm_tools::{
    openapi::{
        OpenApiAuth, OpenApiAuthKind, OpenApiCredential, OpenApiLoader, OpenApiNaming, OpenApiSettings,
        OpenApiToolbox, OpenApiTools,
    },
    registry::{ToolFileGate as _, ToolSidecar, TrustGate},
    trust::{ContentHash, place},
};

use crate::{holm_paths::HolmPaths, openapi_documents, screen::DisplayablePath as _};

/// The place of a secret in a header's text.
const SECRET: &str = "{{secret}}";

/// The tools of one toolbox of an agent.
pub(crate) async fn tools(
    entry: &ExeApiEntry,
    agent: &Path,
    keys: &ExeKeys,
    places: &HolmPaths,
) -> Result<OpenApiTools, String> {
    let api = match entry {
        ExeApiEntry::Inline(api) => api.clone(),
        ExeApiEntry::OnDisk { path } => {
            let text = trusted(path, places)?;
            ExeApi::parse(&String::from_utf8_lossy(&text), path).map_err(|error| error.to_string())?
        }
    };
    let (given, auth, mut notes) = secrets(&api, keys)?;
    let loader = openapi_documents::loader(places)?;
    let (bytes, url) = document(&api, agent, &loader, &given, places).await?;
    let settings = OpenApiSettings { server: Some(api.base_url.clone()), auth, ..OpenApiSettings::default() };
    let sidecar = ToolSidecar { api: Some(settings), ..ToolSidecar::default() };
    let (client, store) = (openapi_documents::client(places)?, openapi_documents::key_store(places));
    let (name, filter) = (box_name(&api), api.filter.clone());
    let made = tokio::task::spawn_blocking(move || {
        let toolbox = OpenApiToolbox::new(&name, client, store)
            .sidecar(sidecar)
            .naming(OpenApiNaming::AgentsExe)
            .given(given)
            .filter(move |id, method, path| {
                filter.as_ref().is_none_or(|filter| filter.admits(id, method, path))
            });
        toolbox.tools(&bytes).map(|tools| (tools, bytes))
    });
    let (mut tools, bytes) =
        made.await.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
    if let Some(url) = url {
        loader.keep(&url, &bytes);
    }
    tools.notes.append(&mut notes);
    Ok(tools)
}

/// The document, and its address if it was fetched.
async fn document(
    api: &ExeApi,
    agent: &Path,
    loader: &OpenApiLoader,
    given: &[OpenApiCredential],
    places: &HolmPaths,
) -> Result<(Vec<u8>, Option<Url>), String> {
    if let Some(path) = api.spec_url.strip_prefix("file://") {
        let path = agent.parent().unwrap_or(Path::new("")).join(path);
        return Ok((trusted(&path, places)?, None));
    }
    let url: Url = api.spec_url.parse().map_err(|error| format!("SpecUrl is not an address: {error}"))?;
    // Only the toolbox's own server gets its secrets.
    let base: Url = api.base_url.parse().map_err(|error| format!("BaseUrl is not an address: {error}"))?;
    let is_safe = url.scheme() == UrlScheme::Https || url.host().is_loopback();
    let is_own =
        is_safe && (base.scheme(), base.host(), base.port()) == (url.scheme(), url.host(), url.port());
    let headers = given.iter().filter(|credential| is_own && !credential.is_query);
    let headers: Vec<(String, String)> =
        headers.map(|credential| (credential.name.clone(), exposed(&credential.value))).collect();
    Ok((loader.fetched(&url, &headers).await?, Some(url)))
}

fn exposed(value: &SecretString) -> String {
    use secrecy::ExposeSecret as _;
    value.expose_secret().to_owned()
}

/// The bytes of a file of the project, if the user trusts them.
fn trusted(path: &Path, places: &HolmPaths) -> Result<Vec<u8>, String> {
    let bytes = match read_plain(path) {
        Ok(bytes) => bytes,
        Err(error) => return Err(format!("{}: {error}", path.shown())),
    };
    place(&places.work, path).map_err(|linked| linked.to_string())?;
    let gate = TrustGate::new(places.trust(), places.work.clone());
    let folder = path.parent().unwrap_or(Path::new(".")).shown();
    gate.admits(path, ContentHash::of(&bytes).as_bytes()).map_err(|_| {
        format!("{}: you have not trusted it; review it with `holm tool trust {folder}`", path.shown())
    })?;
    Ok(bytes)
}

/// What requests carry: values that are known, and how a stored key is sent in place of others.
type RequestSecrets = (Vec<OpenApiCredential>, Option<OpenApiAuth>, Vec<String>);

fn secrets(api: &ExeApi, keys: &ExeKeys) -> Result<RequestSecrets, String> {
    let (mut given, mut auth, mut notes) = (Vec::new(), None, Vec::new());
    let header = |name: &str, value: String, secret: &str| OpenApiCredential {
        name: name.to_owned(),
        is_query: false,
        value: value.into(),
        secret: secret.into(),
    };
    given.extend(
        api.headers.iter().map(|(name, value)| header(name, value.expose().to_owned(), value.expose())),
    );
    if let Some(token) = api.token.as_ref().map(ExeHiddenText::expose) {
        given.push(header("Authorization", format!("Bearer {token}"), token));
    }
    for secret in &api.secrets {
        let text = match &secret.source {
            ExeSecretSource::Given(text) => text.expose(),
            ExeSecretSource::ApiKey(id) => {
                keys.get(id).ok_or_else(|| format!("no keys file has the key `{id}`"))?
            }
            ExeSecretSource::Elsewhere(source) => {
                auth = Some(stored(&secret.place).ok_or_else(|| {
                    format!("its secret is in {source}, which Holm does not read for a project of agents-exe")
                })?);
                let host = holm_tools::openapi::host_key_name(&api.base_url).unwrap_or_default();
                notes.push(format!(
                    "its secret is in {source}, which Holm does not read for a project of agents-exe; \
                     store it with `holm keys add {host}`"
                ));
                continue;
            }
        };
        let text = decoded(text, secret)?;
        given.push(match &secret.place {
            ExeSecretPlace::Header { name, template } => {
                let value = template.as_ref().map_or_else(|| text.clone(), |all| all.replace(SECRET, &text));
                header(name, value, &text)
            }
            ExeSecretPlace::Query { name } => OpenApiCredential {
                name: name.clone(),
                is_query: true,
                value: text.clone().into(),
                secret: text.into(),
            },
        });
    }
    Ok((given, auth, notes))
}

/// How a stored key is sent in the place of a secret; `None` if its text is more than the key.
fn stored(place: &ExeSecretPlace) -> Option<OpenApiAuth> {
    let (kind, name) = match place {
        ExeSecretPlace::Header { name, template } => match template.as_deref() {
            Some("Bearer {{secret}}") if name.eq_ignore_ascii_case("authorization") => {
                (OpenApiAuthKind::Bearer, None)
            }
            None | Some(SECRET) => (OpenApiAuthKind::Header, Some(name.clone())),
            Some(_) => return None,
        },
        ExeSecretPlace::Query { name } => (OpenApiAuthKind::Query, Some(name.clone())),
    };
    let (label, key_env, token_url, client_id, scope) = (None, None, None, None, None);
    Some(OpenApiAuth { kind, name, label, key_env, token_url, client_id, scope })
}

fn decoded(text: &str, secret: &ExeSecret) -> Result<String, String> {
    let wrong = || "a secret is not valid in its encoding".to_owned();
    let bytes = match secret.decoder {
        ExeSecretDecoder::Clear { trim: true } => return Ok(text.trim().to_owned()),
        ExeSecretDecoder::Clear { trim: false } => return Ok(text.to_owned()),
        ExeSecretDecoder::Base64 => {
            use base64::Engine as _;
            base64::engine::general_purpose::STANDARD.decode(text.trim()).map_err(|_| wrong())?
        }
        ExeSecretDecoder::Hexadecimal => {
            let digits = text.trim();
            let pairs = (0..digits.len()).step_by(2).map(|at| {
                digits.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok()).ok_or_else(wrong)
            });
            pairs.collect::<Result<_, _>>()?
        }
    };
    String::from_utf8(bytes).map_err(|_| wrong())
}

/// What agents-exe calls the toolbox: its host and port, without the signs between them.
fn box_name(api: &ExeApi) -> String {
    let address = if api.spec_url.starts_with("http") { &api.spec_url } else { &api.base_url };
    let host = address.split("://").last().unwrap_or(address).split('/').next().unwrap_or_default();
    host.chars().filter(char::is_ascii_alphanumeric).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toolbox_is_called_as_its_prompts_call_it() {
        let check = |spec: &str, expect: &str| {
            let text = format!(r#"{{"SpecUrl": "{spec}", "BaseUrl": "https://api.example.com/v1"}}"#);
            assert_eq!(box_name(&ExeApi::parse(&text, Path::new("x.json")).unwrap()), expect);
        };
        check("http://localhost:8765/openapi.json", "localhost8765");
        check("file://openapi.json", "apiexamplecom");
    }
}
