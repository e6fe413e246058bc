/** Nouns for the kinds of text that people provide as input. */
const INPUT_NOUNS =
  "(?:text|passage|article|paragraph|excerpt|extract|e-?mail|message|letter|note|minutes|transcript|conversation|chat|thread|story|essay|speech|document|post|comment|review|feedback|content|input|data|dataset|table|csv|rows|log|report|abstract|paper|chapter|statement|description|record)s?";

/** Verbs and nouns for work that starts with reading: English words, and stems in several other European languages. */
const READING_VERBS = new RegExp(
  [
    String.raw`\b(?:summari[sz](?:e|ing)|summary|sum(?:ming)? up|tl;?dr|condense|digest|gist|abstract of)\b`,
    String.raw`\b(?:analy[sz](?:e|ing)|analysis|interpret|examine|inspect|assess|evaluate|profile|measure)\b`,
    String.raw`\b(?:extract|key ?(?:words?|points?|terms?|phrases?)|main (?:points?|ideas?)|takeaways?)\b`,
    String.raw`\b(?:read|readability|proofread|review|explain|describe|classify|paraphrase|simplify|shorten|translate)\b`,
    String.raw`zusammenfass|\bfass\w*\b.*\bzusammen\b|résum|\bresum|riassum|samenvat|\bvat\b.*\bsamen\b|analysier|anali[sz]`,
  ].join("|"),
  "iu",
);
const FOLLOWING_WORDS =
  /\b(?:following|below|folgende[nmrs]?|suivante?s?|siguientes?|seguent[ei]|seguintes?|volgende)\b/iu;
/** Matches "these notes", "this customer e-mail", and clauses that end with "this" or "these". */
const THIS_INPUT = new RegExp(
  String.raw`\b(?:this|these)\s+(?:\p{L}+\s+){0,2}${INPUT_NOUNS}\b|\b(?:this|these)\W*$`,
  "iu",
);
const HERE_IS_INPUT = new RegExp(
  String.raw`\bhere(?:['’]s| is| are)\s+(?:\p{L}+\s+){0,3}${INPUT_NOUNS}\b`,
  "iu",
);
/** A label that marks the input in a prompt, such as "Text:". */
const INPUT_LABEL =
  /^\W*(?:the\s+)?(?:text|input|content|data|passage|article|document|transcript)\W*$/iu;
const OPENING_LABEL = /^([^\n:：]{1,40})[:：]/u;
/** Words that a request without a subject can contain in addition to its verb. */
const FILLER_WORDS =
  /^(?:please|kindly|can|could|would|will|you|me|us|for|briefly|shortly|quickly|concisely|it|this|that|in|to|a|an|one|two|three|four|five|few|short|brief|sentences?|words?|lines?|bullets?|points?|of|give|write|now|bitte|kurz|zusammen)$/iu;
/**
 * Phrases that introduce a list of requirements rather than input, such as "cover the following" or "the following
 * questions".
 */
const REQUIREMENTS_LIST =
  /\b(?:cover|include|consider|answer|address|mention|contain|do|follow)\w*\s+(?:all\s+)?(?:of\s+)?(?:the\s+following|these|this|below)|\b(?:following|these)\s+(?:\p{L}+\s+)?(?:points|questions|topics|aspects|sections|requirements|criteria|steps|rules|instructions|format|structure|headings|tasks|things)\b/iu;
const PRODUCTION_VERBS =
  /^\W*(?:please\s+|then\s+)?(?:write|draft|create|prepare|compose|make|generate|produce|build|design|plan|send|publish|finish|complete|update)\b/iu;
const DIRECTION_VERBS =
  /^\W*(?:please|then|also|only|just|make|keep|use|focus|include|mention|write|list|add|avoid|give|tell|show|find|ensure|do|don['’]t|look|check|compare|highlight|identify|consider|explain|answer|return|respond|provide|format|limit|start|begin|be|bitte)\b/iu;
const PRECEDING_WORDS = /\b(?:this|these|above|preceding|foregoing)\b/iu;
/** Whether a clause announces input, as in "the text below", "these notes" or "Text". */
export function isInputAnnouncement(clause: string): boolean {
  if (REQUIREMENTS_LIST.test(clause)) return false;
  if (FOLLOWING_WORDS.test(clause) || HERE_IS_INPUT.test(clause) || INPUT_LABEL.test(clause))
    return true;
  return THIS_INPUT.test(clause) && !PRODUCTION_VERBS.test(clause);
}

/** Whether a clause requests work that starts with reading, as in "summarise the minutes". */
export function isReadingRequest(clause: string): boolean {
  return (
    READING_VERBS.test(clause) && !REQUIREMENTS_LIST.test(clause) && !PRODUCTION_VERBS.test(clause)
  );
}

/** Whether a clause requests reading without naming a subject, as in "Please summarise in two sentences". */
export function isRequestWithoutSubject(clause: string): boolean {
  const words = clause.match(/[\p{L};]+/gu) ?? [];
  return (
    isReadingRequest(clause) &&
    words.every((word) => FILLER_WORDS.test(word) || READING_VERBS.test(word))
  );
}

/** Whether a clause only gives directions, so another clause must announce the input. */
export function isDirection(clause: string): boolean {
  return DIRECTION_VERBS.test(clause) && !REQUIREMENTS_LIST.test(clause);
}

/** Whether a clause refers to the text before it, as in "Summarise the text above." */
export function isRequestAboutPrecedingText(clause: string): boolean {
  return (
    isReadingRequest(clause) && (PRECEDING_WORDS.test(clause) || isRequestWithoutSubject(clause))
  );
}

/** Whether text continues the instruction ("Keep it short.") or begins with an input label. */
export function isInstructionContinuation(text: string): boolean {
  const label = OPENING_LABEL.exec(text)?.[1];
  return DIRECTION_VERBS.test(text) || (label !== undefined && INPUT_LABEL.test(label));
}
