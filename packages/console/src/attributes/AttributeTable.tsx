import { sourceNames } from '../../../server/src/base/domain/attributes/attribute-source.ts'
import { change } from '../api/client.ts'
import type { Attribute } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { useSaving } from '../ui/form/use-saving.ts'
import { count } from '../ui/format.ts'
import { Problem } from '../ui/state/Problem.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'
import { entryOf, TYPE_NAMES, valueText } from './attribute-texts.ts'

type AttributeTableProps = {
  organization: number
  rows: readonly Attribute[]
  onDo: (act: 'change' | 'remove', attribute: Attribute) => void
}

export function AttributeTable({ organization, rows, onDo }: AttributeTableProps) {
  const path = `/organizations/${organization}/attributes`
  const show = useSaving({
    request: ({ name, is_public }: Attribute) =>
      change('POST', `${path}/${is_public ? 'hide' : 'publish'}`, { names: [name] }),
    refreshes: [['organization', organization]],
    done: (_, { label, is_public }) =>
      is_public
        ? t('{{label}} is now hidden from API keys.', { label })
        : t('{{label}} is now visible to API keys.', { label }),
  })
  const columns: Column<Attribute>[] = [
    { name: t('Label'), cell: ({ label }) => label },
    { name: t('Name'), cell: ({ name }) => <code>{name}</code> },
    { name: t('Type'), cell: ({ type }) => TYPE_NAMES[type] },
    { name: t('Sources'), cell: (each) => sourceNames(entryOf(each)).join(', ') },
    { name: t('Value'), cell: (each) => <Value attribute={each} /> },
    { name: t('Not shown'), cell: (each) => <NotShown attribute={each} /> },
    {
      name: t('Visibility'),
      cell: ({ is_public }) =>
        is_public ? <Badge kind="good">{t('Public')}</Badge> : <Badge>{t('Hidden')}</Badge>,
    },
    {
      name: t('Actions'),
      actions: true,
      cell: (each) => (
        <>
          <Button
            small
            look="quiet"
            aria-label={
              each.is_public
                ? t('Hide {{label}}', { label: each.label })
                : t('Publish {{label}}', { label: each.label })
            }
            onClick={() => show.mutate(each)}
          >
            {each.is_public ? t('Hide') : t('Publish')}
          </Button>
          <Button
            small
            look="quiet"
            aria-label={t('Change {{label}}', { label: each.label })}
            onClick={() => onDo('change', each)}
          >
            {t('Change')}
          </Button>
          <Button
            small
            look="quiet"
            aria-label={t('Remove {{label}}', { label: each.label })}
            onClick={() => onDo('remove', each)}
          >
            {t('Remove')}
          </Button>
        </>
      ),
    },
  ]
  return (
    <>
      <Problem error={show.error} />
      <Table label={t('Attributes')} columns={columns} rows={rows} rowKey={({ name }) => name} />
    </>
  )
}

function Value({ attribute: { value, value_at, unit } }: { attribute: Attribute }) {
  if (value === null) return <span className="soft">–</span>
  return (
    <span>
      {valueText(value, unit)}{' '}
      <span className="soft small">
        <Time value={value_at} as="ago" quiet />
      </span>
    </span>
  )
}

/** The newest values that answers leave out, with an example. */
function NotShown({ attribute }: { attribute: Attribute }) {
  const { checked, no_value, out_of_range, wrong_type } = attribute
  const all = [no_value, out_of_range, wrong_type].filter((each) => each !== null)
  if (all.length === 0) return <span className="soft">–</span>
  const sum = all.reduce((total, each) => total + each.count, 0)
  const example = all[0]!
  return (
    <span>
      {t('{{sum}} of {{checked}}', { sum: count(sum), checked: count(checked) })}{' '}
      <span className="soft small">
        {t('such as {{value}} from object {{object}}', {
          value: valueText(example.value) || t('empty text'),
          object: example.object,
        })}
      </span>
    </span>
  )
}
