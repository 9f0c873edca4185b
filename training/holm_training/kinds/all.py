"""Every kind there is, and which of them only the evaluation may show."""

import functools

from ..kind import parse
from . import daily, deeds, family, files, lessons, work, world

HELD = frozenset("""
air_quality sunrise flights distance synonyms nutrition package_track tide bus taxi blinds vacuum heating contact_add call
playlist_add screenshot order_food steps expense transfer battery roll_dice percent_of weekday reverse sentiment rhyme password csv_sum
describe_table service_status rollback ping certificate image_rotate transcribe pdf_pages meeting_room timesheet append_file file_modified
compare_files git_branch word_count_file unit_weight alarm
""".split())
"""Kinds that training never sees, neither as the right tool nor beside it."""

NEAR = [
    "note_add remember todo_add reminder chat_post",
    "calculate sqrt percent_of tip loan prime run_code",
    "world_time current_time date_diff",
    "read_file head_file tail_file extract_emails pdf_text",
    "list_files find_files largest_file",
    "encyclopedia news web_search book_search docs recall note_search search_mail define",
    "write_file append_file replace_text",
    "git_status git_log",
    "delete_file delete_note",
    "file_size largest_file disk_free",
    "count_lines word_count_file file_size",
    "recipe recipe_by_ingredient",
    "light_on light_off light_color",
    "holidays exchange_holidays",
    "directions distance trains flights",
    "taxi directions",
    "run_script shell run_code run_tests compile",
    "shop_search cart_add",
    "todo_list todo_done list_events",
    "translate detect_language",
    "service_status logs restart",
    "stop_service restart",
    "git_branch git_switch",
    "lint_code format_code",
    "hash_text file_hash",
    "restaurants order_food book_table",
    "contact_find find_customer find_employee",
    "image_text image_describe",
    "stopwatch timer alarm reminder",
    "screenshot photo camera",
    "meeting_room book_table",
    "joke quote",
    "roll_dice coin random",
    "call send_sms",
    "list_meeting list_events list_event",
    "list_task todo_list",
    "create_task todo_add",
    "create_note note_add",
    "create_meeting create_event add_event schedule_job",
    "find_note note_search",
    "count_rows describe_table tables sql",
    "csv_sum csv_columns",
    "install uninstall",
    "deploy rollback",
    "shop_search find_product",
    "send_email send_sms chat_post",
    "chat_post survey",
    "backup_db create_backup",
    "alarm create_alert",
    "play_music lyrics",
    "movie cinema",
    "bus trains",
    "memory cpu processes battery",
    "weather air_quality sunrise",
]
"""Sets of which one could stand in for another: none is shown where its neighbour is the tool that is missing."""


KNOWLEDGE = set(
    """define synonyms encyclopedia translate recipe recipe_by_ingredient joke quote rhyme uppercase lowercase reverse slug summarize sentiment
detect_language spellcheck baby_names horoscope plant_care movie lyrics population holidays count_chars count_words_text color_mix draw speech
capital animal_facts element planet poem riddle proverb history_day country_facts flag roman morse hex binary factor gcd power max_of sort_numbers title_case trim truncate
repeat replace_words rewrite formal bullet keywords grammar pronounce conjugate anagram crossword bedtime_story quiz etiquette gift_idea stats clothing name_origin stain
recycle text_diff readability plug dial_code fossil flashcard explain_code circle rectangle bmi age workout_plan meditation meal_plan""".split()
)
"""Kinds whose requests a model may answer from what it knows; never used where nothing is to fit."""


@functools.cache
def known():
    """What training shows: the kinds that are not held out, with more words, and those that are its own."""
    return lessons.kinds([kind for kind in everything() if not is_held(kind)])


def everything():
    """The kinds of which some are held out, sorted as written; the evaluation draws from these alone."""
    out = []
    for domain, module in (("files", files), ("world", world), ("daily", daily), ("work", work)):
        out += parse(domain, module.TEXT)
    return out + family.kinds() + deeds.kinds()


def is_held(kind):
    return kind.id in HELD or kind.entity in family.HELD or deeds.is_held(kind)


def neighbours(kind):
    """Ids of the kinds that could be taken for this one."""
    out = set(kind.near)
    for line in NEAR:
        ids = line.split()
        if kind.id in ids:
            out.update(ids)
    out.discard(kind.id)
    return out


def confusable(every):
    """Ids of the kinds that could be taken for each kind, whichever of the two says so."""
    out = {kind.id: neighbours(kind) for kind in every}
    for one, others in lessons.neighbours().items():
        if one in out:
            out[one] |= others
    for one, others in list(out.items()):
        for other in others:
            if other in out:
                out[other].add(one)
    return out
