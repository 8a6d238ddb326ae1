/*
 * The description as one text in Markdown, of which the reference page is made. A heading ends with its anchor in
 * braces.
 */

type Named<T> = Readonly<Record<string, T>>

type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly enum?: readonly string[]
  readonly const?: unknown
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly items?: Schema
  readonly oneOf?: readonly Schema[]
  readonly properties?: Named<Schema>
}

type Parameter = {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description: string
  readonly schema: Schema
  readonly example?: unknown
  readonly examples?: Named<{ readonly value: unknown }>
}

type Answer = {
  readonly $ref?: string
  readonly description: string
  readonly headers?: Named<unknown>
  readonly content?: {
    readonly 'application/json': {
      readonly schema: Schema
      readonly example?: unknown
      readonly examples?: Named<{ readonly summary: string }>
    }
  }
}

type Operation = {
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly { readonly $ref: string }[]
  readonly security?: readonly unknown[]
  readonly responses: Named<Answer>
}

/** The parts of `openapi.json` that readers see. */
export type Description = {
  info: { description: string; contact: { email?: string; url?: string } }
  servers: { url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Named<{ readonly get: Operation }>
  readonly components: {
    readonly parameters: Named<Parameter>
    readonly responses: Named<Answer>
    readonly headers: Named<Parameter>
    readonly schemas: Named<Schema>
  }
}

/** `api`: the address before the paths of operations, for examples. */
export function referenceText({ info, tags, paths, components }: Description, api: string): string {
  const operations = Object.entries(paths)
  const sections = tags.map(({ name, description }) => {
    const own = operations.filter(([, { get }]) => get.tags.includes(name))
    const texts = own.map(([path, { get }]) => operationText(path, get, components, api))
    return `## ${name} {tag/${anchorOf(name)}}\n\n${description}\n\n${texts.join('')}`
  })
  const headers = Object.entries(components.headers).map(
    ([name, { description, example }]) =>
      `<article>\n\n### ${name} {header/${name}}\n\n${description}${exampleText(example)}\n\n</article>\n`,
  )
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<article>\n\n### ${name} {model/${name}}\n\n${schema.description ?? ''}\n\n${fieldsText(schema)}\n</article>\n`,
  )
  const { email, url = `mailto:${email}` } = info.contact
  return [
    ...(email === undefined && info.contact.url === undefined
      ? []
      : [`[Contact the operator](${url})`]),
    info.description.replaceAll(/^## (.+)$/gm, (_, title) => `## ${title} {${anchorOf(title)}}`),
    ...sections,
    `## Headers {headers}\n\n${headers.join('')}`,
    `## Schemas {models}\n\n${schemas.join('')}`,
  ].join('\n\n')
}

function operationText(
  path: string,
  { tags, summary, description, parameters: own = [], security, responses }: Operation,
  { parameters: all, responses: shared }: Description['components'],
  api: string,
): string {
  const anchor = `tag/${anchorOf(tags[0]!)}/GET${path}`
  const parameters = own.map(({ $ref }) => all[nameIn($ref)]!)
  const { 200: success, 304: _, ...refusals } = responses
  const { schema, example } = success!.content!['application/json']
  const headers = Object.keys(success!.headers ?? {}).map((name) => `[${name}](#header/${name})`)
  const errors = Object.entries(refusals).map(([status, { $ref, ...answer }]) =>
    errorText(status, $ref === undefined ? answer : shared[nameIn($ref)]!),
  )
  return `<article>

### ${summary} {${anchor}}

\`GET ${path}\` <a href="/docs/try#${anchor}" aria-label="Try it: ${summary}">Try it</a>

${description}

#### Parameters

${parameters.map(parameterText).join('') || 'None.\n'}
#### Answer

${success!.description}

${fieldsText({ properties: { result: schema.properties!.result! } })}
Headers: ${headers.join(', ')}

#### Errors

${errors.join('')}
<aside>

\`\`\`sh
${requestText(api + path, parameters, security?.length === 0)}
\`\`\`

\`\`\`json
${JSON.stringify(example, null, 2)}
\`\`\`

</aside>
</article>

`
}

function parameterText({ name, in: place, required, schema, ...parameter }: Parameter): string {
  const facts = `${typeText(schema)}, ${place}${required ? ', **required**' : ''}`
  const fallback = schema.default === undefined ? '' : ` Default: \`${schema.default}\`.`
  const example = exampleText(exampleOf(parameter))
  return `- \`${name}\` _${facts}_<br>${parameter.description}${fallback}${example}\n`
}

/** An item for each field of an object, or of the objects of a list, with its own fields below it. */
function fieldsText({ properties, ...schema }: Schema, indent = ''): string {
  if (properties === undefined) return `${indent}${typeText(schema)}\n`
  const texts = Object.entries(properties).map(([name, field]) => {
    const line = `${indent}- \`${name}\` _${typeText(field)}_<br>${field.description ?? ''}`
    const inner = field.properties ?? field.items?.properties
    const below = inner === undefined ? '' : fieldsText({ properties: inner }, `${indent}  `)
    return `${line}${exampleText(field.examples?.[0])}\n${below}`
  })
  return texts.join('')
}

function errorText(status: string, { description, content }: Omit<Answer, '$ref'>): string {
  const examples = Object.values(content?.['application/json'].examples ?? {})
  const messages = examples.map(({ summary }) => `  - ${summary.replaceAll('<', '&lt;')}\n`)
  return `- **${status}** ${description}\n${messages.join('')}`
}

function typeText({ $ref, type = 'any', format, items, oneOf, ...schema }: Schema): string {
  if ($ref !== undefined) return `[${nameIn($ref)}](#model/${nameIn($ref)})`
  if (oneOf !== undefined) return oneOf.map(typeText).join(' or ')
  if (schema.const !== undefined) return `\`${schema.const}\``
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(' or ')
  const names = [type].flat().map((name) => {
    if (name === 'array' && items !== undefined) return `array of ${typeText(items)}`
    return (name === 'string' && format) || name
  })
  return names.join(' or ')
}

function exampleText(example: unknown): string {
  if (example === undefined) return ''
  return ` Example: \`${typeof example === 'string' ? example : JSON.stringify(example)}\`.`
}

function exampleOf({ example, examples = {} }: Pick<Parameter, 'example' | 'examples'>): unknown {
  return example ?? Object.values(examples)[0]?.value
}

/** A command of a shell with the parameters that a first request needs: those that have an example. */
function requestText(url: string, parameters: readonly Parameter[], isPublic: boolean): string {
  const key = isPublic ? '' : '-H "x-api-key: $FLEETGATE_KEY" '
  const query: string[] = []
  let target = url
  for (const parameter of parameters) {
    const example = exampleOf(parameter)
    if (parameter.in === 'path') target = target.replace(`{${parameter.name}}`, String(example))
    else if (example !== undefined) query.push(`${parameter.name}=${example}`)
  }
  return `curl ${key}"${[target, ...query].join('&').replace('&', '?')}"`
}

const anchorOf = (title: string) => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

const nameIn = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1)
