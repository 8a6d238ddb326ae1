import { Marked } from 'marked'
import { type Description, referenceText } from './reference-text.ts'

const HEADING = /^(?<title>.*) \{(?<anchor>\S+)\}$/
/** Anchors that the navigation leaves out. */
const UNLISTED = /^(?:header|model)\//
const NAME_IN_JSON = /^( *)(&quot;\w+&quot;):/gm

/**
 * The reference as HTML, which a browser shows without a script, and links to its
 * headings but those of headers and schemas. `api`: the address before the paths of operations, for examples.
 */
export function referenceHtml(description: Description, api: string) {
  const links: string[] = []
  const marked = new Marked({
    renderer: {
      heading({ text, depth }) {
        const { title, anchor } = HEADING.exec(text)?.groups ?? {}
        if (anchor === undefined) return `<h${depth}>${text}</h${depth}>\n`
        const link = `<a href="#${anchor}">${title}</a>`
        if (!UNLISTED.test(anchor)) links.push(`<li class="level-${depth}">${link}</li>`)
        return `<h${depth} id="${anchor}">${link}</h${depth}>\n`
      },
    },
  })
  const content = marked.parse(referenceText(description, api), { async: false })
  return { content: content.replaceAll(NAME_IN_JSON, '$1<b>$2</b>:'), navigation: links.join('\n') }
}
