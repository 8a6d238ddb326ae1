import { Transform } from 'class-transformer'
import { ArrayMaxSize, IsInt } from 'class-validator'

const MOST_IDS = 1_000

export class LatestQuery {
  @Transform(({ value }) => [
    ...new Set(
      String(value ?? '')
        .split(',')
        .map(toId),
    ),
  ])
  @ArrayMaxSize(MOST_IDS)
  @IsInt({ each: true })
  ids: number[]
}

function toId(text: string): number {
  return /^ *\d+ *$/.test(text) ? Number(text) : Number.NaN
}
