import type { RoutingRule } from '../api/types.ts'
import { Phrase } from '../language/Phrase.tsx'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { count, listed } from '../ui/format.ts'
import { Icon } from '../ui/Icon.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'
import { conditionInWords } from './routing-texts.ts'

type RuleTableProps = {
  rules: readonly RoutingRule[]
  nameOf: (organization: number) => string
  /** `to`: the new place in the list, from 0 on. */
  onMove: (rule: RoutingRule, to: number) => void
  onRemove: (rule: RoutingRule) => void
}

/** Rules are called by their place in the list: 1 is asked first. */
export function RuleTable({ rules, nameOf, onMove, onRemove }: RuleTableProps) {
  const columns: Column<RoutingRule>[] = [
    {
      name: t('Rule'),
      cell: (rule) => `${rules.indexOf(rule) + 1}. ${conditionInWords(rule)}`,
    },
    { name: t('Goes to'), cell: ({ organizations }) => listed(organizations.map(nameOf)) },
    {
      name: t('Objects'),
      fit: true,
      cell: ({ create_objects }) => (create_objects ? t('Created') : t('Not created')),
    },
    { name: t('Idents'), cell: (rule) => <Placed rule={rule} /> },
    {
      name: t('Actions'),
      actions: true,
      cell: (rule) => {
        const at = rules.indexOf(rule)
        return (
          <>
            <Step rule={rule} at={at} to={at - 1} last={rules.length - 1} onMove={onMove} />
            <Step rule={rule} at={at} to={at + 1} last={rules.length - 1} onMove={onMove} />
            <Button
              small
              look="remove"
              aria-label={t('Delete rule {{at}}', { at: at + 1 })}
              onClick={() => onRemove(rule)}
            >
              {t('Delete')}
            </Button>
          </>
        )
      },
    },
  ]
  return <Table label={t('Rules')} columns={columns} rows={rules} rowKey={({ id }) => id} />
}

/** A rule that never placed an ident may be wrong, or come after one that takes all of its idents. */
function Placed({
  rule: { placed_idents, last_placed_at, create_objects },
}: {
  rule: RoutingRule
}) {
  if (last_placed_at === null) return <span className="soft">{t('None yet')}</span>
  return (
    <div>
      {create_objects && count(placed_idents)}
      <div className="soft small">
        <Phrase text="last <time />" parts={{ time: <Time value={last_placed_at} as="ago" /> }} />
      </div>
    </div>
  )
}

type StepProps = {
  rule: RoutingRule
  at: number
  to: number
  last: number
  onMove: RuleTableProps['onMove']
}

function Step({ rule, at, to, last, onMove }: StepProps) {
  const way = to < at ? 'up' : 'down'
  return (
    <Button
      small
      icon
      look="quiet"
      data-rule={rule.id}
      aria-label={
        way === 'up'
          ? t('Move rule {{at}} up', { at: at + 1 })
          : t('Move rule {{at}} down', { at: at + 1 })
      }
      title={way === 'up' ? t('Move up') : t('Move down')}
      disabled={to < 0 || to > last}
      onClick={() => onMove(rule, to)}
    >
      <Icon name={way} />
    </Button>
  )
}
