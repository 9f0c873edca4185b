//! What every store must do, on either database. Each test gets a store of its own, and a way to
//! open the same store a second time as another process would.

pub(crate) mod agents;
pub(crate) mod jobs;
pub(crate) mod journals;
pub(crate) mod ledger;
pub(crate) mod long;
pub(crate) mod script;
pub(crate) mod sessions;
pub(crate) mod slips;
pub(crate) mod spending;

use holm_store::{Store, StoreOptions};
use std::{future::Future, pin::Pin};

/// Where a store is kept.
pub(crate) trait Place: Sync {
    fn open(&self, options: StoreOptions) -> Pin<Box<dyn Future<Output = Store> + Send + '_>>;

    fn try_open(
        &self,
        options: StoreOptions,
    ) -> Pin<Box<dyn Future<Output = Result<Store, holm_store::StoreError>> + Send + '_>>;
}

/// Makes one `#[tokio::test]` of each function of the suite.
macro_rules! suite {
    ($place:path: $($module:ident { $($test:ident)* })*) => {
        $(mod $module {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $test() {
                let place = $place().await;
                $crate::suite::$module::$test(&place).await;
            })*
        })*
    };
}

/// Every test of the suite, so that no database can leave one out.
macro_rules! whole_suite {
    ($place:path) => {
        suite! { $place:
            agents {
                an_agent_runs_resumes_and_forks
                a_copy_in_an_encrypted_store_has_its_own_large_results
            }
            jobs {
                jobs_are_kept_listed_and_forgotten
                of_two_who_change_a_job_one_is_told_to_look_again
                a_slot_is_filled_once_however_many_try
                runs_come_in_their_order_and_old_ones_go
                an_encrypted_store_tells_nothing_of_its_jobs
                a_store_with_jobs_alone_stays_as_it_was_made
            }
            journals {
                lines_are_found_again_to_the_byte
                several_lines_are_kept_together
                a_run_is_never_written_over
                a_name_whose_first_record_was_never_kept_is_free
                a_name_without_a_record_is_no_session
                lines_out_of_order_are_refused_and_leave_nothing
                a_run_is_driven_in_one_place_at_a_time
                a_store_that_is_gone_holds_nothing
                whoever_stops_waiting_for_a_run_holds_nothing
                the_next_holder_of_a_run_finds_the_appends_that_were_under_way
                another_writer_cannot_put_a_second_record_in_a_place
                names_that_are_no_names_are_refused
                many_runs_append_at_once_and_lose_nothing
                runs_that_wait_together_share_a_sync
                an_append_that_nobody_waits_for_leaves_the_journal_uncertain
                a_snapshot_is_kept_and_helps
                large_results_are_kept_once_and_read_in_parts
                large_results_live_as_long_as_a_run_refers_to_them
            }
            ledger {
                a_weak_model_is_stepped_up_and_the_next_similar_task_begins_higher
                another_process_knows_what_models_have_shown
                an_encrypted_store_keeps_the_reasons_to_itself
            }
            long {
                opening_reads_the_records_after_the_snapshot_alone
                a_snapshot_that_fits_no_record_is_left_aside
                a_long_journal_without_a_snapshot_is_folded_some_records_at_a_time
                usage_is_counted_from_the_records_that_are_new
                an_encrypted_store_goes_on_from_its_folds_too
                a_list_of_many_sessions_that_moved_takes_a_few_questions
                single_facts_are_read_without_the_rest
            }
            sessions {
                sessions_are_listed_page_by_page
                a_title_is_the_first_prompt_until_somebody_gives_one
                tags_are_put_on_and_taken_off
                words_are_found_in_prompts_answers_calls_and_results
                what_came_since_the_last_search_is_found_too
                an_export_is_imported_to_the_byte
                a_journal_that_was_changed_is_not_imported
                an_import_never_writes_over_a_run
                a_session_reads_as_markdown
                usage_is_what_the_kernel_counted
                usage_can_be_computed_again_and_is_the_same
                an_erased_session_is_gone_and_its_name_stays_taken
                retention_keeps_what_it_is_told_to
                an_encrypted_store_does_the_same_and_tells_nothing
                a_store_is_opened_with_its_own_key_only
            }
            slips {
                notes_lie_in_their_trays_until_they_are_taken
                of_two_who_change_a_note_one_is_told_to_look_again
                a_note_goes_with_the_run_whose_name_it_has
                an_encrypted_store_tells_nothing_of_its_notes
            }
            spending {
                what_drivers_store_is_what_folds_count
                no_journal_is_read_for_what_drivers_have_stored
                records_that_a_crash_left_behind_the_stored_cost_are_counted
            }
        }
    };
}
