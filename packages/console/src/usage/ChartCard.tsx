import { type ReactNode, useState } from 'react'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Icon } from '../ui/Icon.tsx'

type ChartCardProps = { title: string; lead: string; chart: ReactNode; table: ReactNode }

/** A chart, and a button that shows its numbers as a table. */
export function ChartCard({ title, lead, chart, table }: ChartCardProps) {
  const [asTable, setAsTable] = useState(false)
  return (
    <Card
      title={title}
      lead={lead}
      actions={
        <Button small onClick={() => setAsTable(!asTable)}>
          <Icon name={asTable ? 'chart' : 'table'} size={14} />
          {asTable ? t('Show chart') : t('Show table')}
          <span className="visually-hidden">({title})</span>
        </Button>
      }
    >
      {asTable ? table : chart}
    </Card>
  )
}
