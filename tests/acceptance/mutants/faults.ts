import { parseSync, Visitor } from 'rolldown/utils'

/** One change of a source, from `start` up to `end`. */
export type Fault = { kind: Kind; start: number; end: number; replacement: string }
type Kind = 'comparison turned' | 'bound moved by one' | 'call left out' | 'condition inverted'

const TURNED: Record<string, string> = {
  '<': '>',
  '>': '<',
  '<=': '>=',
  '>=': '<=',
  '===': '!==',
  '!==': '===',
}
const MOVED: Record<string, string> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }

/** Each fault that can be put into the text of a TypeScript file, in the order of the text. */
export function faultsOf(text: string): Fault[] {
  const faults: Fault[] = []
  const { program } = parseSync('source.ts', text)

  function add(kind: Kind, { start, end }: Place, replacement: string): void {
    faults.push({ kind, start, end, replacement })
  }
  function invert(condition: Place): void {
    const written = text.slice(condition.start, condition.end)
    add('condition inverted', condition, `!(${written})`)
  }

  new Visitor({
    BinaryExpression({ left, operator, right }) {
      const between = { start: left.end, end: right.start }
      const written = text.slice(between.start, between.end)
      const turned = TURNED[operator]
      const moved = MOVED[operator]
      const replace = (by: string) => written.replace(operator, by)
      if (turned !== undefined) add('comparison turned', between, replace(turned))
      if (moved !== undefined) add('bound moved by one', between, replace(moved))
    },
    ExpressionStatement({ expression, start, end }) {
      const called = expression.type === 'AwaitExpression' ? expression.argument : expression
      // A following line that begins with a bracket needs the semicolon.
      if (called.type !== 'CallExpression' || called.callee.type === 'Super') return
      add('call left out', { start, end }, ';')
    },
    IfStatement: ({ test }) => invert(test),
    ConditionalExpression: ({ test }) => invert(test),
    WhileStatement: ({ test }) => invert(test),
  }).visit(program)
  return faults.toSorted((a, b) => a.start - b.start)
}

type Place = { start: number; end: number }

export function withFault(text: string, { start, end, replacement }: Fault): string {
  return text.slice(0, start) + replacement + text.slice(end)
}
