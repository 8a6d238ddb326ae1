/// <reference types="node" />
import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import { parseSync } from 'rolldown/utils'
import { PLAIN_OBJECT_FIELDS } from '../ui/plain-object-fields.ts'

const SOURCES = path.join(import.meta.dirname, '..')
const FOLDER = path.join(import.meta.dirname, 'texts')

type Node = { type: string; [field: string]: unknown }
type Texts = Record<string, string>

/** The texts that the console has, in English. */
const USED = new Set([
  ...globSync(`${SOURCES}/**/*.{ts,tsx}`)
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap(textsIn),
  ...PLAIN_OBJECT_FIELDS.map(({ label }) => label),
])

const ENGLISH = textsOf('en')
const LANGUAGES = readdirSync(FOLDER)
  .map((file) => path.parse(file).name)
  .filter((language) => language !== 'en')

describe('The texts in English', () => {
  it('have a singular if they have a plural', () => {
    const missing = [...USED].filter((text) => hasPlural(text) && !(`${text}_one` in ENGLISH))
    assert.deepEqual(missing, [])
  })

  it('have no singular of a text that the console lacks', () => {
    const unused = Object.keys(ENGLISH).filter((key) => !USED.has(key.replace(/_one$/, '')))
    assert.deepEqual(unused, [])
  })
})

for (const language of LANGUAGES) {
  const texts = textsOf(language)
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
  const keysOf = (text: string) =>
    hasPlural(text) ? pluralCategories.map((each) => `${text}_${each}`) : [text]

  describe(`The texts in ${language}`, () => {
    it('are all there', () => {
      assert.deepEqual(
        [...USED].flatMap(keysOf).filter((key) => !(key in texts)),
        [],
      )
    })

    it('are all used', () => {
      const needed = new Set([...USED].flatMap(keysOf))
      assert.deepEqual(
        Object.keys(texts).filter((key) => !needed.has(key)),
        [],
      )
    })

    it('have the values and elements of the English text', () => {
      const wrong = Object.entries(texts).filter(([key, text]) => {
        const english = hasPlural(key) ? key.replace(/_[a-z]+$/, '') : key
        return partsOf(english).join() !== partsOf(text).join() && !/_one$/.test(key)
      })
      assert.deepEqual(wrong, [])
    })
  })
}

function textsOf(language: string): Texts {
  return JSON.parse(readFileSync(path.join(FOLDER, `${language}.json`), 'utf8')).console
}

function hasPlural(text: string): boolean {
  return /\{\{count\b/.test(text)
}

/** `{{name}}` and `<code>`, each once, in one order. */
function partsOf(text: string): string[] {
  return [...new Set(text.match(/\{\{[^}]+\}\}|<\/?\w+ ?\/?>/g))].sort()
}

/** The literals in `t(…)` and `<Phrase text=…>`, and those with values, which constants hold too. */
function textsIn(file: string): string[] {
  const code = readFileSync(file, 'utf8')
  const found: string[] = []
  visit(parseSync(file, code).program as unknown as Node)
  return found

  function visit(node: Node): void {
    if (node.type === 'CallExpression' && (node.callee as Node).name === 't') {
      take((node.arguments as Node[])[0]!)
    } else if (node.type === 'JSXOpeningElement' && (node.name as Node).name === 'Phrase') {
      const text = (node.attributes as Node[]).find(({ name }) => (name as Node).name === 'text')
      take(text!.value as Node)
    } else if (node.type === 'Literal' && /\{\{\w/.test(String(node.value))) take(node)
    for (const child of childrenOf(node)) visit(child)
  }

  function take(node: Node): void {
    if (node.type === 'Literal' && typeof node.value === 'string') found.push(node.value)
    else if (node.type === 'ConditionalExpression') {
      take(node.consequent as Node)
      take(node.alternate as Node)
    } else if (node.type === 'JSXExpressionContainer') take(node.expression as Node)
  }
}

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter((each): each is Node => typeof (each as Node | null)?.type === 'string')
}
