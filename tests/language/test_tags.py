"""The table of semantic tags: it holds together, its words are found, and mean what they mean."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest

from kinesphere.gesture.lexicon import lexicon
from kinesphere.language.matching import GAP, START
from kinesphere.language.sentences import token_spans
from kinesphere.language.tagging import TaggedText, tag_text
from kinesphere.language.tags import FOCUS, SemanticTag, semantic_tags
from kinesphere.language.tokens import LANGUAGES, Language

TAGS = semantic_tags()
WITH_WORDS = [tag for tag in TAGS.values() if tag.name != FOCUS]
TEXTS = Path(__file__).parents[1] / "generation" / "texts"
CLASSES = """
noun name verb auxiliary adjective adverb pronoun determiner preposition conjunction particle number
interjection
"""
FUNCTION_WORDS: dict[Language, str] = {
    "en": """
    i me my mine you your he him his she her it they them their we us our ours this that these those
    who what which where how why a an the of to in on at by for with from into over above under
    below beneath across beside against between through along toward towards without except despite
    and but or if because since although though whereas unless while whether either neither nor is
    be have can may might must shall should will would could
    """,
    "de": """
    ich mich mir mein du dich dir dein er ihn ihm sie ihnen wir uns unser ihr euch euer dieser diese
    dieses jener wer was wie wo warum der die das ein eine an auf aus bei durch für gegen mit nach
    neben ohne trotz über unter von vor wegen zu zwischen und aber oder denn sondern doch weil wenn
    falls ob obwohl sofern solange entweder weder sein haben werden können dürfen müssen sollen
    wollen mögen möchten
    """,
}


def test_there_are_the_tags_of_the_design_and_the_fallback_is_the_last() -> None:
    assert len(TAGS) >= 94
    assert list(TAGS)[-1] == FOCUS
    assert not any(TAGS[FOCUS].words.values())


@pytest.mark.parametrize("tag", TAGS.values(), ids=lambda t: t.name)
def test_its_lexemes_exist_and_share_all_occurrences(tag: SemanticTag) -> None:
    assert set(tag.lexemes) <= set(lexicon())
    assert sum(tag.lexemes.values()) == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("tag", WITH_WORDS, ids=lambda t: t.name)
def test_it_has_enough_words_and_each_once(tag: SemanticTag, language: Language) -> None:
    words = [word.casefold() for word in tag.words[language]]
    assert len(words) >= 20
    assert len(set(words)) == len(words)


@pytest.mark.parametrize("tag", WITH_WORDS, ids=lambda t: t.name)
def test_what_limits_a_word_names_a_word_of_the_tag(tag: SemanticTag) -> None:
    words = {word.casefold() for rows in tag.words.values() for word in rows}
    limited = {*tag.focus_words, *tag.pos, *(word.casefold() for word in tag.capitalised)}
    assert limited <= words
    assert {name for row in tag.pos.values() for name in row.split("|")} <= set(CLASSES.split())
    assert not words & {phrase.casefold() for phrase in tag.barred}


def test_a_word_stands_under_one_tag_unless_its_class_decides() -> None:
    unclear = []
    for language in LANGUAGES:
        places: dict[str, list[SemanticTag]] = {}
        for tag in WITH_WORDS:
            for word in tag.words[language]:
                places.setdefault(word.casefold(), []).append(tag)
        for word, tags in places.items():
            pairs = combinations(tags, 2)
            unclear += [(word, a.name, b.name) for a, b in pairs if not decided(word, a, b)]
    assert not unclear


def decided(word: str, first: SemanticTag, second: SemanticTag) -> bool:
    """Whether the first of two tags takes the word only in a class that the second does not."""
    if word in {written.casefold() for written in first.capitalised}:
        return True
    ours, theirs = (set(t.pos.get(word, "").split("|")) - {""} for t in (first, second))
    return bool(ours) and not ours & theirs


@pytest.mark.parametrize("language", LANGUAGES)
def test_function_words_need_the_focus(language: Language) -> None:
    small = set(FUNCTION_WORDS[language].split())
    listed = [(t, word.casefold()) for t in WITH_WORDS for word in t.words[language]]
    free = [(t.name, w) for t, w in listed if not (t.focus or w in t.focus_words) and w in small]
    assert not free


# ---------------------------------------------------------------------- every entry is found

SENTENCES: dict[Language, dict[str, str]] = {
    "en": {
        "": "And {}.",
        "noun": "The {} is here.",
        "verb": "They {} them.",
        "adjective": "It is {}.",
        "adverb": "They came {}.",
        "number": "It has {} legs.",
        "determiner": "It is {} tree.",
        "auxiliary": "He {} come.",
        "conjunction": "{} it rains, they sleep.",
    },
    "de": {
        "": "Und {}.",
        "noun": "Der {} ist da.",
        "verb": "Sie wollen {}.",
        "adjective": "Es ist {}.",
        "adverb": "Es ist {} so.",
        "conjunction": "{} es regnet.",
        "interjection": "{}, es regnet.",
    },
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_nearly_all_words_are_found_in_a_sentence_of_their_own(language: Language) -> None:
    entries = [(tag, word) for tag in WITH_WORDS for word in tag.words[language]]
    lost = [(tag.name, word) for tag, word in entries if not found(tag, word, language)]
    assert len(lost) <= 0.03 * len(entries), lost


def found(tag: SemanticTag, word: str, language: Language) -> bool:
    """Whether the tag lies on the whole entry where nothing else stands, and it is said loudly."""
    classes = ["", *tag.pos.get(word.casefold(), "").split("|")]
    spoken = word.replace(GAP, "so").removeprefix(f"{START} ")
    for sentence in {SENTENCES[language][c] for c in classes if c in SENTENCES[language]}:
        text = sentence.format(spoken)
        if not word[-1].isalnum():
            text = text.removesuffix(".") + (" so." if word[-1] == "," else "")
        first = sentence.index("{")
        said = loudly(text, language, first, first + len(spoken))
        ours = [i for i, t in enumerate(said.tokens) if first <= t.start < first + len(spoken)]
        if any(t.tag == tag.name and t.first <= ours[0] and ours[-1] <= t.last for t in said.tags):
            return True
    return False


def loudly(text: str, language: Language, start: int, end: int) -> TaggedText:
    """A text in which only the words between two places are prominent."""
    words = [(a, b) for a, b in token_spans(text) if any(c.isalnum() for c in text[a:b])]
    return tag_text(text, language, prominence=[float(start <= a and b <= end) for a, b in words])


# ---------------------------------------------------------------------- what words mean elsewhere

MEANINGS = """
en | SELF | They asked *me*. | They asked me about the *weather*.
en | SELF | That hat is *mine*. | He slept in the coal *mine*.
de | SELF | Sie fragten *mich*. | Sie fragten mich nach dem *Wetter*.
de | SELF | Das ist *mein* Hut. | Ich *meine* das so.
en | ADDRESSEE | The tea is for *you*. | It rained, *you* know.
en | ADDRESSEE | I saw *you*. | Thank *you*.
de | ADDRESSEE | Ich frage *Sie*. | Ich frage *sie*.
en | THIRD_PERSON | It was *him*. | It *rained* on him.
de | THIRD_PERSON | Ich suche *ihn*. | Ich *suche* ihn.
en | WE | They saw *us*. | Let *us* sing.
de | WE | Sie sahen *uns*. | Lasst *uns* singen.
en | HERE | The cat is here. | Here you are.
de | HERE | Die Katze ist hier. | Hier und da stand ein Stein.
en | THERE | The cat sat there. | There is a cat.
de | THERE | Die Katze sitzt dort. | Da sie schlief, war es still.
en | DEMONSTRATIVE | I want *that*. | I know *that* he slept.
de | DEMONSTRATIVE | Ich will *dieses*. | Ich will dieses *Brot*.
en | SIDE | They turn right. | That is right.
en | SIDE | On the left sat a cat. | She left the cat.
de | SIDE | Er geht nach rechts. | Er hat recht.
en | UP | The bird flew up. | The singer gave up.
de | UP | Die Lampe hängt *über* dem Herd. | Wir reden über das *Wetter*.
en | DOWN | The cat ran down. | Write down the name.
de | DOWN | Die Katze lief nach unten. | Unter anderem kam die Katze.
en | PAST | The cat came last year. | Last but not least, the cat sang.
de | PAST | Das gab es in der Geschichte nie. | Er las eine Geschichte.
en | FUTURE | She is going to sing. | She is going to the shop.
en | FUTURE | Soon she will sing. | She will sing.
de | FUTURE | Morgen singt sie. | Guten Morgen!
en | NOW | She sings now. | Now, the cat sang.
en | NOW | Right now, the cat sings. | Now then, the cat sang.
de | NOW | Jetzt singt sie. | Nun ja, sie singt.
de | CONTINUAL | Sie singt wieder. | Sie gibt den Text wieder.
en | BEGIN | The start was late. | To start with, it rained.
en | LIST | To start with, it rained. | The start was late.
de | BEGIN | Er fing zu singen an. | Er fing den Ball.
en | END | The end of the war came. | The cat sat at the end of the street.
en | END | The film is over. | In the end it rained.
de | END | Das Ende war kurz. | Die Reisenden schlafen.
en | NEXT | Then it rained. | If it rains then we sleep.
de | NEXT | Dann regnete es. | Wenn es regnet, dann schlafen wir.
en | PROCESS | The course of the talks was odd. | Of course it rained.
en | OTHER | The other cat slept. | They saw each other.
en | PAST | The other day it rained. | The other cat slept.
en | CHANGE | The weather will change. | He kept the small change.
de | CHANGE | Er wurde zum König. | Er wurde müde.
en | RETURN | The cat came back. | His back hurts.
en | ALL | All cats sleep. | It is all right.
de | ALL | Das ganze Dorf schlief. | Das ist ganz gut.
en | NONE | Not a single cat slept. | It was nothing but rain.
de | NONE | Das ist überhaupt nicht wahr. | Es war nichts als Regen.
en | LARGE | A large tree fell. | Large parts of it burned.
de | LARGE | Ein großer Baum fiel. | Große Teile brannten.
en | SMALL | A little cup broke. | My little darling slept.
de | SMALL | Ein kleines Haus brannte. | Ihr kleiner Bruder schlief.
en | MANY | Many cats slept. | Thank you very much.
en | MANY | Twelve cats slept. | It is twelve o'clock.
de | MANY | Viele Katzen schliefen. | Vielen Dank.
de | MANY | Zwölf Katzen schliefen. | Es ist zwölf Uhr.
en | FEW | The cat slept *only*. | The cat only *slept*.
en | FEW | Few cats slept. | He was a *just* king.
de | FEW | Er schlief *nur*. | Er *schlief* nur.
en | MORE | There is more rain. | There is no more rain.
de | MORE | Es gibt mehr Regen. | Es gibt keinen Regen mehr.
en | LESS | There is less rain. | Nevertheless it rained.
en | LESS | The prices fall. | They fall in love.
de | LESS | Die Preise fallen. | Das Buch hat mir gefallen.
en | NUMBER | Two cats slept. | It is two o'clock.
en | NUMBER | I saw *one* cat. | This *one* sleeps.
de | NUMBER | Zwei Katzen schliefen. | Es ist zwei Uhr.
de | NUMBER | Zwei Katzen schliefen. | Eine Katze schlief.
en | LIST | Second, it rained. | It took ten seconds.
en | LIST | First, it rained. | His first name is odd.
de | LIST | *Auch* sie schlief. | Sie *schlief* auch.
en | PART | A part of it burned. | They take part.
de | PART | Ein Teil brannte. | Sie nehmen teil.
de | PART | Ein Teil brannte. | Das ist ein Vorteil.
en | INTENSE | It is *very* cold. | It is very *cold*.
de | INTENSE | Es ist *sehr* kalt. | Es ist sehr *kalt*.
de | EXACT | Er sah es genau. | Ja, genau.
de | AGREEMENT | Ja, genau. | Er sah es genau.
en | GENERAL | In general it rains. | The general slept.
de | GENERAL | Warum überhaupt Regen? | Das ist überhaupt nicht wahr.
en | NEGATION | It is not cold. | It is cold, isn't it?
en | NEGATION | She never slept. | Not only cats slept.
de | NEGATION | Es ist nicht kalt. | Es ist kalt, nicht wahr?
de | NEGATION | Sie schlief nie. | Nicht nur Katzen schliefen.
en | AGREEMENT | Yes, it rained. | He hates yes-men.
de | AGREEMENT | Ja, es regnet. | Das ist ja kalt.
en | CONTRAST | *But* the cat slept. | It was nothing *but* rain.
en | CONTRAST | *Yet* the cat slept. | The cat has not *yet* slept.
de | CONTRAST | *Doch* die Katze schlief. | Die Katze schlief *doch*.
en | ALTERNATIVE | Tea *or* milk. | Ten cats *or* so slept.
en | INDETERMINATE | Ten cats or so slept. | Ten cats or dogs slept.
de | ALTERNATIVE | Du hast die Wahl. | Nach der Wahl regnete es.
de | ALTERNATIVE | Tee *oder* Milch. | Es regnet, *oder*?
de | QUESTION | Es regnet, oder? | Es gibt Tee oder Milch.
en | COMPARE | They are the same. | At the same time it rained.
de | COMPARE | Sie sind gleich. | Er kommt gleich wieder.
en | CAUSE | *Since* it rains, we sleep. | We sleep *since* Monday.
de | CAUSE | *Denn* es regnet. | Was ist *denn* das?
de | CAUSE | Der Grund war der Regen. | Der Hintergrund war blau.
en | CONDITION | *If* it rains, we sleep. | It was as *if* it rained.
de | CONDITION | *Wenn* es regnet, schlafen wir. | Wenn es *regnet*, schlafen wir.
de | EXAMPLE | Vögel, etwa Amseln, singen. | Es waren etwa zwei Meter.
de | SUMMARY | Kurz gesagt, es regnete. | Er trug eine kurze Hose.
en | QUESTION | What did she eat? | She ate what she had.
de | QUESTION | Was ist das? | Sie aß, was sie hatte.
en | INDETERMINATE | There were about ten cats. | They talk about cats.
en | INDETERMINATE | It is kind of blue. | She is a kind woman.
de | INDETERMINATE | Es ist eine Art Vogel. | Auf diese Art singt sie.
en | UNCERTAIN | It *might* rain. | The king had *might*.
en | EMPHASIS | That is a key point. | The key is in the door.
en | ATTENTION | Look, it rains. | The house looks nice.
de | ATTENTION | Schau mal, es regnet. | Sie schaut aus dem Fenster.
en | OBLIGATION | You *must* sleep. | You must *sleep*.
de | OBLIGATION | Du *musst* schlafen. | Du musst *schlafen*.
en | AGGRESSION | They strike the enemy. | The miners are on strike.
de | AGGRESSION | Er schlägt den Hund. | Er schlägt ein Lied vor.
en | POWER | The king has power. | The power station burned.
de | POWER | Der König hat Macht. | Er macht Tee.
en | PRAISE | The soup is good. | Good morning!
en | PRAISE | It was a great film. | A great deal of rain fell.
de | PRAISE | Die Suppe ist gut. | Guten Morgen!
en | CRITICISM | The film is bad. | The film is not bad.
en | CRITICISM | It was a poor film. | They feed the poor.
de | CRITICISM | Der Film ist schlecht. | Der Film ist nicht schlecht.
en | REJECTION | We are against it. | He leaned against the *tree*.
de | REJECTION | Ich bin dagegen. | Er lehnt gegen den *Baum*.
en | HALT | That is enough. | It is warm enough.
de | HALT | Halt! | Das ist halt so.
en | CALM | It is quiet. | It is quite blue.
en | FEELING | They feel pain. | They feel like soup.
de | GREETING | Herzlich willkommen! | Er hat ein gutes Herz.
en | GRATITUDE | Many thanks! | Thanks to the rain it grew.
de | SURPRISE | Das ist unglaublich. | Das ist unglaublich schön.
de | SUCCESS | Sie will einen Preis gewinnen. | Der Preis der Suppe steigt.
en | THINK | She thinks hard. | It rained, I think.
en | THINK | He lost his mind. | Do you mind?
de | THINK | Sie denkt nach. | Es regnet, glaube ich.
en | KNOW | She knows the song. | It rained, you know.
en | UNCERTAIN | I don't know. | She knows the song.
de | KNOW | Sie weiß es. | Wissen Sie, es regnet.
en | SAY | She says it. | That is to say, it rained.
en | SAY | She says it. | He said: "Sleep."
de | SAY | Sie sagt es. | Er sagte: „Schlaf.“
en | READ | A book lay there. | They booked a room.
en | WORK | A film was on. | They filmed it.
de | WORK | Es steht auf Seite zehn. | Es steht auf der linken Seite.
de | TITLE | Das Reich zerfiel. | Der Mann ist reich.
en | TITLE | The party lost. | The birthday party was loud.
en | OBJECT | This case is odd. | Take it in case it rains.
de | OBJECT | Der Fall ist klar. | Es war ein Zufall.
en | ROUND | It is a round stone. | The cat turned round.
en | SHAPE | It is a square stone. | The sum is nine.
en | SHAPE | The form of the cloud was odd. | Fill in the form.
de | SHAPE | Es ist eine gerade Linie. | Sie schläft gerade.
en | PEOPLE | The man slept. | Oh man!
de | PEOPLE | Die Menge sang. | Sie hat eine Menge Tee.
en | PLACE | It is a nice place. | The talks take place in May.
de | PLACE | Das Viertel ist alt. | Es war ein Viertel der Katzen.
en | PERIOD | A long time passed. | Every time it rains, we sleep.
de | PERIOD | Der Abend war kalt. | Guten Abend!
en | MOTION | They go to town. | They are going to sing.
de | MOTION | Sie geht in den Wald. | Es geht um Katzen.
en | PATH | The way is long. | By the way, it rained.
de | PATH | Der Weg ist lang. | Die Katze ist weg.
de | AWAY | Die Katze ist weg. | Der Weg ist lang.
en | AWAY | The town is far. | So far it rained.
de | AWAY | Die Katze ist auf und davon. | Sie wusste nichts davon.
en | GIVE | She gives him tea. | She gives up.
de | GIVE | Sie gibt ihm Tee. | Es gibt Tee.
de | GIVE | Sie stellt den Gast vor. | Stell dir vor, es regnet.
en | TAKE | She *took* it. | The talks *take* place.
de | TAKE | Er *hält* den Hut. | Er *hält* ihn für blau.
en | ACTION | She did it. | She did not sing.
en | ACTION | They work. | It is a work of art.
en | WANT | They like tea. | She sings like a bird.
en | OBLIGATION | You *need* to sleep. | They need tea.
de | OBLIGATION | Du *brauchst* nicht zu singen. | Sie braucht Tee.
en | SEE | She sees it. | See you!
de | SEE | Sie sieht den Baum. | Ich finde, er singt.
en | MAKE | She *made* tea. | She made *tea*.
en | MAKE | The club was founded. | She found it.
de | MAKE | Er *macht* Tee. | Er macht *Tee*.
en | TOGETHER | They meet. | It will meet our expectations.
en | TOGETHER | They share a common goal. | He had the common cold.
en | SEPARATE | They live apart. | Apart from that, it rained.
en | OPEN | The door is open. | It is an open question.
en | GIVE | The tea is for free. | The bird is free.
en | GIVE | You are welcome. | Welcome!
en | GREETING | Welcome! | You are welcome.
de | INVITE | Bitte, komm mit. | Wie bitte?
en | UP | The cat jumped up on it. | It is up to her.
en | UP | The cat jumped up on it. | They made up a song.
en | DOWN | The cat ran down. | Calm down!
en | CALM | Calm down! | It is quite blue.
en | MOTION | They come home. | Come on!
de | MOTION | Sie geht in den Wald. | Wie geht's?
en | LARGE | It is a giant tree. | It is a great song.
en | PRAISE | It is a great song. | It is a large tree.
en | OTHER | Another cat slept. | It was none other than Bob.
de | OBVIOUS | Es regnet, sehen Sie. | Es regnet, sehen sie.
de | ATTENTION | Passen Sie auf! | Wir passen auf sie auf.
de | END | Das Lebensende kam. | Die Dividende kam.
de | POWER | Die Windkraft wirkt. | Der Gesamteindruck ist blau.
de | PERIOD | Die Ferienzeit war kurz. | Die Abendmahlzeit war kurz.
en | GIVE | Here you are. | The cat is here.
en | NUMBER | Half the cats slept. | It is half past ten.
de | NUMBER | Die halbe Suppe ist weg. | Es ist halb zwei.
en | PHONE | She called me on the phone. | She called the cat.
de | PHONE | Sie telefoniert. | Sie ruft die Katze.
en | DRINK | They drink tea. | They bake bread.
de | DRINK | Sie trinkt Tee. | Sie hat Angst.
en | EAT | We eat at six. | We sing at six.
de | EAT | Wir essen um sechs. | Wir singen um sechs.
en | SLEEP | The cat sleeps. | The cat sings.
de | SLEEP | Die Katze schläft. | Die Katze singt.
en | MONEY | It is expensive. | It is blue.
de | MONEY | Das ist mir zu teuer. | Das Reich zerfiel.
en | WRITE | They sign here. | The sign is red.
de | WRITE | Sie schreibt einen Brief. | Sie singt ein Lied.
en | LISTENING | I hear a noise. | I saw a tree.
de | LISTENING | Ich höre ein Geräusch. | Das gehört mir.
en | SECRET | It is a secret. | It is quiet.
de | SECRET | Das ist geheim. | Es ist still hier.
en | DRIVE | They drive to town. | They sing in town.
de | DRIVE | Wir fahren in die Stadt. | Wir singen in der Stadt.
en | FLIGHT | The bird flies away. | A fly sat on the wall.
en | WALK | They go for a walk. | They go to town.
en | ROUND | The ball is red. | The phone rings.
en | MONEY | He is rich. | The soil is a part of it.
en | HURRY | We are in a hurry. | We are in a house.
de | CARRY | Sie schleppt den Koffer. | Das ist eine schwere Frage.
en | BREAK | The cup will break. | They had a break.
"""


def cases() -> list[tuple[str, ...]]:
    """Rows of language, tag, a sentence that has the tag, one that has not; ``*`` marks loud words."""
    return [
        tuple(cell.strip() for cell in row.split(" | ")) for row in MEANINGS.strip().split("\n")
    ]


@pytest.mark.parametrize(("language", "tag", "with_it", "without"), cases())
def test_a_word_has_its_tag_only_where_it_means_it(
    language: Language, tag: str, with_it: str, without: str
) -> None:
    assert tag in tags_of(with_it, language)
    assert tag not in tags_of(without, language)


def tags_of(marked: str, language: Language) -> list[str]:
    text, loud = marked.replace("*", ""), re.search(r"\*(\w+)\*", marked)
    said = tag_text(text, language)
    if loud is not None:
        said = loudly(text, language, loud.start(), loud.start() + len(loud[1]))
    return [t.tag for t in said.tags]


# ---------------------------------------------------------------------- whole passages


@pytest.mark.parametrize("path", sorted(TEXTS.glob("*.txt")), ids=lambda p: p.stem)
def test_most_rhemes_of_a_passage_have_a_tag_of_their_own(path: Path) -> None:
    text = tag_text(path.read_text(encoding="utf-8"))
    starts = {t.first for t in text.tags if t.tag != FOCUS}
    rhemes = [range(s.first, s.last + 1) for s in text.spans("rheme")]
    share = sum(not starts.isdisjoint(rheme) for rheme in rhemes) / len(rhemes)
    assert share >= (0.85 if text.language == "en" else 0.80)


def test_there_are_passages() -> None:
    assert len(list(TEXTS.glob("*.txt"))) >= 30
