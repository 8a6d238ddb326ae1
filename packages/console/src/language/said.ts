import { i18next } from './text.ts'

type Template = { key: string; pattern: RegExp; names: string[] }

let templates: Template[] | undefined

/**
 * A message of the server in the viewer's language, and in English if the language has none for it. A language
 * lists messages as templates, `{{field}} must be {{rule}}`, and their values may be messages too.
 */
export function said(message: string): string {
  const { language } = i18next
  if (language === 'en') return message
  if (i18next.exists(message, { ns: 'server', lngs: [language] })) {
    return i18next.t(message, { ns: 'server' })
  }
  templates ??= templatesOf(language)
  for (const { key, pattern, names } of templates) {
    const [, ...values] = pattern.exec(message) ?? []
    if (values.length === 0) continue
    const parts = Object.fromEntries(names.map((name, at) => [name, said(values[at]!)]))
    return i18next.t(key, { ns: 'server', ...parts })
  }
  return message
}

/** The templates with the most text come first: they are the most specific. */
function templatesOf(language: string): Template[] {
  const texts: Record<string, string> = i18next.getResourceBundle(language, 'server') ?? {}
  return Object.keys(texts)
    .filter((key) => key.includes('{{'))
    .map((key) => ({ key, ...patternOf(key) }))
    .sort((one, other) => textLength(other.key) - textLength(one.key))
}

function patternOf(key: string): { pattern: RegExp; names: string[] } {
  const names: string[] = []
  const source = key
    .split(/\{\{(\w+)\}\}/)
    .map((part, at) => {
      if (at % 2 === 0) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      names.push(part)
      return '(.+?)'
    })
    .join('')
  return { pattern: new RegExp(`^${source}$`, 's'), names }
}

function textLength(key: string): number {
  return key.replace(/\{\{\w+\}\}/g, '').length
}
