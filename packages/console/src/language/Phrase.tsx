import type { ReactElement } from 'react'
import { Trans } from 'react-i18next/TransWithoutContext'
import { i18next, type Values } from './text.ts'

type PhraseProps = {
  /** A text with elements in it: `Send <code>{{ident}}</code> to <page>the feed</page>.` */
  text: string
  values?: Values
  /** The elements by their names in the text. A name of HTML, such as `link`, keeps its rules. */
  parts: Record<string, ReactElement>
}

/** A text with elements in it, whose order each language chooses. */
export function Phrase({ text, values = {}, parts }: PhraseProps) {
  return (
    <Trans
      i18n={i18next}
      i18nKey={text}
      values={values}
      components={parts}
      // A value may have angle brackets, which must not become elements.
      tOptions={{ interpolation: { escapeValue: true } }}
      shouldUnescape
    />
  )
}
