import { Type } from 'class-transformer'
import { IsDate, IsInt, IsNotEmpty, IsOptional, Min } from 'class-validator'

export class HistoryQuery {
  @IsNotEmpty({ message: 'From Time is required' })
  @IsDate({ message: 'From Time must be a date' })
  @Type(() => Date)
  from_time: Date

  @IsNotEmpty({ message: 'To Time is required' })
  @IsDate({ message: 'To Time must be a date' })
  @Type(() => Date)
  to_time: Date

  @IsOptional()
  @IsInt()
  @Min(1)
  @Type(() => Number)
  limit?: number
}
