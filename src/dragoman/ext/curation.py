"""Curation: datasets of web APIs, translations and audio sets, without the command line.

Each function takes the options of a command as a record and returns a record.
"""

from typing import TYPE_CHECKING

from dragoman.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from dragoman.curation.api_datasets.annotation.assignment import (
        AssignmentPlan,
        ReviewThresholds,
    )
    from dragoman.curation.api_datasets.ingestion.entries import SourceFacts
    from dragoman.curation.api_datasets.probing.api_client import CallOptions
    from dragoman.curation.api_datasets.probing.filter import FilterRules
    from dragoman.curation.api_datasets.query_briefs import BriefPlan
    from dragoman.curation.api_datasets.split import SplitPlan
    from dragoman.curation.audio_sets.build import AudioSetRequest, run_speak
    from dragoman.curation.audio_sets.verify import verify_set
    from dragoman.curation.datasets import (
        StepResult,
        count_documents,
        find_secrets,
        read_card,
        read_status,
    )
    from dragoman.curation.llm_clients import ModelOptions
    from dragoman.curation.progress import Progress, StepStopped
    from dragoman.curation.query_review import export_sheets, import_labels, settle_review
    from dragoman.curation.review.second_opinions import OpinionModels
    from dragoman.curation.review.session import ReviewRequest
    from dragoman.curation.review.steps import (
        ReviewExport,
        export_review,
        import_review,
        read_reviews,
    )
    from dragoman.curation.steps import (
        AnswerOptions,
        CheckOptions,
        CollectOptions,
        CollectResult,
        GenerateOptions,
        RateOptions,
        import_reports,
        run_answer,
        run_check,
        run_collect,
        run_filter,
        run_generate,
        run_monitor,
        run_rate,
        run_split,
        run_verify,
    )
    from dragoman.curation.translation.memory_io import (
        compare_memories,
        export_translations,
        import_translations,
        read_memory,
    )
    from dragoman.curation.translation.run import (
        TranslationRequest,
        plan_translation,
        run_translation,
    )
    from dragoman.curation.translation.statistics import count_texts
    from dragoman.formats.api_dataset_steps import run_export, run_plan

__all__ = [
    "AnswerOptions",
    "AssignmentPlan",
    "AudioSetRequest",
    "BriefPlan",
    "CallOptions",
    "CheckOptions",
    "CollectOptions",
    "CollectResult",
    "FilterRules",
    "GenerateOptions",
    "ModelOptions",
    "OpinionModels",
    "Progress",
    "RateOptions",
    "ReviewExport",
    "ReviewRequest",
    "ReviewThresholds",
    "SourceFacts",
    "SplitPlan",
    "StepResult",
    "StepStopped",
    "TranslationRequest",
    "compare_memories",
    "count_documents",
    "count_texts",
    "export_review",
    "export_sheets",
    "export_translations",
    "find_secrets",
    "import_labels",
    "import_reports",
    "import_review",
    "import_translations",
    "plan_translation",
    "read_card",
    "read_memory",
    "read_reviews",
    "read_status",
    "run_answer",
    "run_check",
    "run_collect",
    "run_export",
    "run_filter",
    "run_generate",
    "run_monitor",
    "run_plan",
    "run_rate",
    "run_speak",
    "run_split",
    "run_translation",
    "run_verify",
    "settle_review",
    "verify_set",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "dragoman.curation.api_datasets.annotation.assignment": (
                "AssignmentPlan",
                "ReviewThresholds",
            ),
            "dragoman.curation.api_datasets.ingestion.entries": ("SourceFacts",),
            "dragoman.curation.api_datasets.probing.api_client": ("CallOptions",),
            "dragoman.curation.api_datasets.probing.filter": ("FilterRules",),
            "dragoman.curation.api_datasets.query_briefs": ("BriefPlan",),
            "dragoman.curation.api_datasets.split": ("SplitPlan",),
            "dragoman.curation.audio_sets.build": ("AudioSetRequest", "run_speak"),
            "dragoman.curation.audio_sets.verify": ("verify_set",),
            "dragoman.curation.datasets": (
                "StepResult",
                "count_documents",
                "find_secrets",
                "read_card",
                "read_status",
            ),
            "dragoman.curation.llm_clients": ("ModelOptions",),
            "dragoman.curation.progress": ("Progress", "StepStopped"),
            "dragoman.curation.query_review": ("export_sheets", "import_labels", "settle_review"),
            "dragoman.curation.review.second_opinions": ("OpinionModels",),
            "dragoman.curation.review.session": ("ReviewRequest",),
            "dragoman.curation.review.steps": (
                "ReviewExport",
                "export_review",
                "import_review",
                "read_reviews",
            ),
            "dragoman.curation.steps": (
                "AnswerOptions",
                "CheckOptions",
                "CollectOptions",
                "CollectResult",
                "GenerateOptions",
                "RateOptions",
                "import_reports",
                "run_answer",
                "run_check",
                "run_collect",
                "run_filter",
                "run_generate",
                "run_monitor",
                "run_rate",
                "run_split",
                "run_verify",
            ),
            "dragoman.curation.translation.memory_io": (
                "compare_memories",
                "export_translations",
                "import_translations",
                "read_memory",
            ),
            "dragoman.curation.translation.run": (
                "TranslationRequest",
                "plan_translation",
                "run_translation",
            ),
            "dragoman.curation.translation.statistics": ("count_texts",),
            "dragoman.formats.api_dataset_steps": ("run_export", "run_plan"),
        },
    )
