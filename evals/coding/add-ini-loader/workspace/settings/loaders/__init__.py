"""All loaders, by the end of the file name."""

from settings.loaders.json_loader import load_json
from settings.loaders.properties_loader import load_properties

LOADERS = {
    ".json": load_json,
    ".properties": load_properties,
}
