"""Register: occasions are recognised, and a single word of death or joy in another text is not one."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinesphere.generation.graph import graph_of
from kinesphere.language.tagging import tag_text
from kinesphere.language.tokens import Language

TEXTS = sorted((Path(__file__).parents[1] / "generation" / "texts").glob("*.txt"))
GRAVE: dict[Language, list[str]] = {
    "en": [
        "I am so sorry for your loss. He was a kind man, and we will all miss him.",
        "I have bad news. There has been an accident, and your brother is in hospital.",
        "We are here to mourn a friend. She died on Monday, far too young, and our hearts are with "
        "her children, who have lost a mother.",
        "I want to apologise to the families. Three people lost their lives in our plant. It was our "
        "mistake, and no excuse will bring them back.",
        "Your father has died.",
        "It is my sad duty to tell you that we could not save him. I know the pain this brings.",
        "My wife died in March. Since then I sit in her chair and cry, and I am alone.",
    ],
    "de": [
        "Mein herzliches Beileid. Ich weiß, wie sehr dir deine Mutter fehlt.",
        "Ich habe eine traurige Nachricht. Unser Kollege ist gestern nach langer Krankheit gestorben.",
        "Wir trauern um die Opfer des Unfalls. Unsere Gedanken sind bei allen, die weinen.",
        "Es tut mir unendlich leid. Ich habe dich verletzt, es war mein Fehler, und ich schäme mich.",
        "Schweren Herzens nehmen wir heute Abschied von Karl. Er wird uns fehlen.",
    ],
}
GLAD: dict[Language, list[str]] = {
    "en": [
        "Congratulations! You won!",
        "Happy birthday, Anna! We are all so happy that you were born. Now let's dance.",
        "Please raise your glasses to the bride and the groom, to love and to a long life together.",
        "We did it! After ten years we won the cup. What a night! Look at these people laugh and sing.",
        "I'm thrilled to say that our team got the prize. I am proud of every one of you.",
    ],
    "de": [
        "Herzlichen Glückwunsch, ihr beiden! Möge eure Liebe ein Leben lang halten.",
        "Wir haben gewonnen! Der Pokal gehört uns, und heute Nacht tanzen wir.",
        "Hebt die Gläser auf das Brautpaar, auf das Glück und auf die Liebe!",
        "Alles Gute zum Geburtstag! Wir freuen uns so mit dir.",
    ],
}
PLAIN: dict[Language, list[str]] = {
    "en": [
        "My grandfather died laughing at his own joke, which is how he wanted to win every argument.",
        "I'm sorry I'm late, the bus broke down.",
        "The king died, the cook lost his hat, and the ship sank. Nobody cried, and the parrot sang.",
        "We lost the keys, but we laughed about it.",
        "Two people died in the storm, police said on Monday. The roads are closed until Friday.",
        "We love this phone. It is fantastic, fun and fast, and it makes you happy.",
        "You have not won. There is no good news and no celebration today.",
        "The funeral parlour next door sells cheap flowers, so I buy mine there every Friday, and the "
        "owner asks about my garden, my bees, my taxes and the new bridge over the river.",
        "He apologised for the delay and explained how the machine works, step by step, with a long "
        "list of parts, and then he showed us where to put the oil and how to clean the filter.",
    ],
    "de": [
        "Mein Opa starb beim Lachen über seinen eigenen Witz.",
        "Tut mir leid, dass ich zu spät komme, der Bus war voll.",
        "Bei dem Unwetter kamen zwei Menschen ums Leben, teilte die Polizei am Montag mit.",
        "Wir lieben dieses Telefon. Es ist toll, es macht Spaß, und es ist super schnell.",
        "Der König starb, und der Koch verlor seinen Hut.",
    ],
}


def rows(table: dict[Language, list[str]]) -> list[tuple[Language, str]]:
    return [(language, text) for language, texts in table.items() for text in texts]


@pytest.mark.parametrize(("language", "text"), rows(GRAVE))
def test_grave(language: Language, text: str) -> None:
    assert tag_text(text, language).register == "grave"


@pytest.mark.parametrize(("language", "text"), rows(GLAD))
def test_glad(language: Language, text: str) -> None:
    assert tag_text(text, language).register == "glad"


@pytest.mark.parametrize(("language", "text"), rows(PLAIN))
def test_plain(language: Language, text: str) -> None:
    assert tag_text(text, language).register == "plain"


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_news_stories_and_talks_are_plain(path: Path) -> None:
    assert tag_text(path.read_text(encoding="utf-8")).register == "plain"


def test_the_graph_has_it() -> None:
    found = tag_text("Congratulations! You won!", "en")
    times = [(float(i), i + 0.5) for i in range(len(found.words))]
    assert graph_of(found, times).register == "glad"


def test_both_registers_in_equal_measure_are_none() -> None:
    text = "Congratulations on your wedding. I am so sorry for your loss."
    assert tag_text(text, "en").register == "plain"
