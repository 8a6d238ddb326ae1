/**
 * `npm run lint`: comments, test titles and texts are plain English. A comment or a title opens with its subject,
 * not with a clause that a reader must carry to the end (`What …`, `Who …`, `Of …`). No text has a poetic word.
 * No text that users see has a word that gives a translation away. No file and no declaration of a module has a name
 * that the glossary retired.
 * Prints each place that breaks a rule, and exits with code 1 if there are any.
 */
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { basename } from 'node:path'

const SOURCES = [
  '{bench,examples,lint,tests,tools}/**/*.{ts,js}',
  'packages/*/{*,*/*,{src,testing}/**/*}.{ts,tsx,js}',
]
const CONFIGURATION = ['deploy/**']
/** Dependencies, built files, types that are generated from the descriptions of the APIs. */
const SKIPPED = /(?:^|\/)(?:node_modules|dist|types\.ts)(?:\/|$)/

/** A block comment, line comments that follow one another, or a string; strings hide comment marks. */
const TOKEN =
  /\/\*(?<block>[\s\S]*?)\*\/|\/\/(?<lines>.*(?:\n[ \t]*\/\/.*)*)|'(?<text>(?:[^'\\\n]|\\.)*)'|"(?<quoted>(?:[^"\\\n]|\\.)*)"|\x60(?<template>(?:[^\x60\\]|\\.)*)\x60/g
const EXPRESSION = /\$\{[^}]*\}/g
const HASH_COMMENT = /^[ \t]*#(?<lines>.*(?:\n[ \t]*#.*)*)/gm
const TITLE_OF = /\b(?:describe|it|suite|test)(?:\.\w+)?\(\s*$/

const INVERTED = /^(?:What|Who|Whose|Whom|Whoever|Whatever|Of|That)\b/
/** A sentence of a page, a cell or an item of a list; its end is not a question mark. */
const INVERTED_SENTENCE =
  /(?<=(?:^|\n\n|[.!?:]\s|\| |- |\d\. ))(?:What|Who|Whose|Whom|Whoever|Whatever|Of)\b[^.?|]*(?=[.|]|$)/g
/** A title continues the title around it, so it may begin in lower case. */
const INVERTED_TITLE = new RegExp(INVERTED, 'i')
/** `no more` is poetic at the end of a clause only. SQL has names such as `STANDS`, so case matters. */
const POETIC =
  /\b(?:(?<!\b[Tt]here )(?:is|are) none(?! of\b)|no more(?=\s*(?:[.,;:]|$))|for good|dear|thereby|whereof|stands(?! (?:for|still)\b)|[Tt]old)(?!\w)/

/** Folders of code with texts that users see: the console, the APIs, the command line, the tools. */
const USER_TEXTS = [
  'packages/client/src/pull/',
  'packages/console/src/',
  'packages/mcp/src/',
  'packages/server/src/',
]
/** Tests, and words of other languages: the headings of columns, and the messages of the API. */
const NO_USER_TEXTS = /\.test\.|\/headings\.ts|\/messages\/(?!en\b)/
const USER_PAGES = [
  '{CHANGELOG,CONTRIBUTING,README,SECURITY}.md',
  'docs/{,contributing/,design/,operating/}*.md',
  '{bench,examples,packages/*,tests/*}/README.md',
  'bench/notes/*.md',
  'packages/server/src/**/*.md',
]
/** Correct words that read like a translation, and the words in their place. */
const TRANSLATED: readonly (readonly [translated: RegExp, native: string])[] = [
  [/\b(?:anew|once more)\b/i, 'again or from scratch'],
  [/\b(?:go|goes|going|went) on\b/i, 'continue or keep'],
  [/\b(?:tells?|telling|told)\b/i, 'report, say or return'],
  [/\b(?:stands?|stood)\b(?! for\b|-in\b)/i, 'be or be stored'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix or repair'],
  [/\b(?:hears? of|heard of)\b/i, 'be notified'],
  [/\bdeeds?\b/i, 'job or task'],
  [/\b(?:by|of) (?:itself|themselves)\b/i, 'automatically'],
  [/\bslips? in it\b/i, 'wrong or does not exist'],
  [/\bbeside\b/i, 'next to, while or compared with'],
  [/\bbehind (?:it|them|(?:a|the) (?:change|cursor|end|last|newest|one|page|row))\b/i, 'after'],
  [/\blikewise\b/i, 'in the same way'],
  [/(?<!\bthere )\b(?:is|are) none\b(?! of\b)/i, 'have no'],
  [/\bno more(?=\s*(?:[.,;:]|$))/im, 'no longer'],
  [/\bfor good\b/i, 'permanently'],
  [/\bdear(?:er|est)?\b/i, 'expensive'],
  [/\b(?:thereby|whereof|therein)\b/i, 'so'],
  [/\bat last\b/i, 'finally'],
  [/\bheld against\b/i, 'compared with'],
  [/\bwork(?:s|ed|ing)? off\b/i, 'process'],
  [/\bgood (?:un)?till?\b/i, 'expires'],
  [/\bstretch(?:es)?\b/i, 'range, period or span'],
  [/\bwish(?:ed|es)?\b/i, 'options or query'],
  [/\bare two ways\b/i, 'use one of'],
  [/\bgoes? with\b.*\bmissing\b/i, 'requires'],
]
/** Text between the tags of a component. */
const JSX_TEXT = /(?<=[>}])[^<>{}=;()]*[A-Za-z] [^<>{}=;()]*(?=[<{])/g

/** Words of retired names, and the words in their place. A term has one name, which `docs/glossary.md` gives. */
const RETIRED: readonly (readonly [retired: RegExp, current: string])[] = [
  [/\bcome in\b/i, 'authenticate'],
  [/\bkeep retention\b/i, 'start retention'],
  [/\bLEAST\b/, 'MIN'],
  [/\bMOST\b/, 'MAX'],
  [/\bobjection\b/i, 'fault'],
  [/\bopen catalogue\b/i, 'open directory'],
  [/\bstanding\b/i, 'existing or valid'],
  [/\btold\b/i, 'reported, given or notified'],
  [/\btracked object\b/i, 'monitored object'],
  [/\bgood until\b/i, 'expires'],
  [/\bwish(?:ed|es)?\b/i, 'options or query'],
]
const DECLARATION =
  /^(?:export )?(?:async )?(?:class|const|function\*?|interface|let|type) (?<name>\w+)/gm

const files = await Array.fromAsync(glob([...SOURCES, ...CONFIGURATION]))
const found = files
  .filter((file) => /\.\w+$|Dockerfile$/.test(file) && !SKIPPED.test(file))
  .sort()
  .flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    return [...faultsIn(file, text), ...translatedIn(file, text), ...retiredNamesIn(file, text)]
  })
for await (const page of glob(USER_PAGES)) {
  if (SKIPPED.test(page)) continue
  const prose = proseOf(readFileSync(page, 'utf8'))
  found.push(...translatedWords(page, prose), ...invertedSentences(page, prose))
}

for (const folder of USER_TEXTS) {
  if (!files.some((file) => file.startsWith(folder))) found.push(`${folder} has no files`)
}

for (const each of found) process.stderr.write(`${each}\n`)
if (found.length > 0) {
  process.stderr.write(`${found.length} texts or names are not plain English\n`)
  process.exitCode = 1
}

function faultsIn(file: string, text: string): string[] {
  const marks = /\.[jt]sx?$/.test(file) ? TOKEN : HASH_COMMENT
  return Array.from(text.matchAll(marks)).flatMap(({ 0: whole, groups = {}, index }) => {
    const { block, lines, text: string, quoted, template } = groups
    const words = (block ?? lines ?? string ?? quoted ?? template?.replace(EXPRESSION, '…') ?? '')
      .replace(/^[ \t]*(?:\*|\/\/|#)+ ?/gm, '')
      .trim()
    const isComment = block !== undefined || lines !== undefined
    const isTitle = !isComment && TITLE_OF.test(text.slice(Math.max(0, index - 30), index))
    const fault = faultOf(words, isComment, isTitle)
    if (!fault) return []
    const line = text.slice(0, index + whole.search(/\S/)).split('\n').length
    return [`${file}:${line}: ${fault}: ${words.split('\n')[0]}`]
  })
}

function faultOf(words: string, isComment: boolean, isTitle: boolean): string | undefined {
  const opening = isTitle ? INVERTED_TITLE : INVERTED
  const prose = words.replace(/\s+/g, ' ')
  const isSentence = isComment || isTitle || /^[^?]*\.$/.test(prose)
  if (isSentence && opening.test(prose)) return 'does not open with its subject'
  return prose.includes(' ') ? POETIC.exec(prose)?.[0] : undefined
}

function translatedIn(file: string, text: string): string[] {
  if (!USER_TEXTS.some((folder) => file.startsWith(folder)) || NO_USER_TEXTS.test(file)) return []
  const texts = Array.from(text.matchAll(TOKEN), ({ groups = {}, index }) => {
    const words = groups.text ?? groups.quoted ?? groups.template?.replace(EXPRESSION, '…') ?? ''
    return { index, words: words.includes(' ') ? words : '' }
  })
  if (file.endsWith('.tsx')) {
    const markup = text.replace(TOKEN, (token) => token.replace(/[^\n]/g, ' '))
    for (const { 0: words, index } of markup.matchAll(JSX_TEXT)) {
      texts.push({ index, words })
    }
  }
  return texts.flatMap(({ index, words }) =>
    translatedWords(file, '\n'.repeat(text.slice(0, index).split('\n').length - 1) + words),
  )
}

function translatedWords(file: string, text: string): string[] {
  return TRANSLATED.flatMap(([translated, native]) =>
    Array.from(text.matchAll(new RegExp(translated, 'gi')), ({ 0: word, index }) => {
      const line = text.slice(0, index).split('\n').length
      return `${file}:${line}: ${word}: write ${native}`
    }),
  )
}

/** Sentences of a page that open with a clause. Questions may. */
function invertedSentences(page: string, prose: string): string[] {
  return Array.from(prose.matchAll(INVERTED_SENTENCE), ({ 0: sentence, index }) => {
    const line = prose.slice(0, index).split('\n').length
    return `${page}:${line}: does not open with its subject: ${sentence.split('\n')[0]}`
  })
}

/** A page without its code, which keeps its lines. */
function proseOf(page: string): string {
  return page.replace(/^```.*?^```|`[^`\n]*`/gms, (code) => code.replace(/[^\n]/g, ' '))
}

function retiredNamesIn(file: string, text: string): string[] {
  const declared = Array.from(text.matchAll(DECLARATION), ({ groups, index }) => {
    const line = text.slice(0, index).split('\n').length
    return { name: groups!.name!, place: `${file}:${line}` }
  })
  return [{ name: basename(file), place: file }, ...declared].flatMap(({ name, place }) => {
    const words = wordsOf(name)
    return RETIRED.filter(([retired]) => retired.test(words)).map(
      ([, current]) => `${place}: ${name}: use ${current}`,
    )
  })
}

/** `comeIn` and `come-in.ts` have the words `come in`. */
function wordsOf(name: string): string {
  return name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[^A-Za-z\d]+/g, ' ')
}
