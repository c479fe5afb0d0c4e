import { amountText } from './amount-text.ts';
import { scopeText, type Excess } from './scope.ts';

/** Positions beyond are told by the ten: otherwise each cluster that starts would have all that wait written anew. */
const EXACT_POSITIONS = 10;

/**
 * What a cluster waits for, and where. Says nothing of how much others use, which changes all the time.
 * @param position from 1, among those that wait for the same
 */
export function waitingText(excess: Excess, position: number): string {
  return `${mayText(excess)}, and this cluster asks for ${askedText(excess)}: it waits ${positionText(position)} until there is room`;
}

export function hopelessText(excess: Excess): string {
  return `${mayText(excess)}, and this cluster alone asks for ${askedText(excess)}: it cannot start until it asks for less`;
}

export function clampedText(excess: Excess, workers: number, wanted: number): string {
  return `${mayText(excess)}: there is room for ${String(workers)} of the ${String(wanted)} workers that this cluster asks for`;
}

function mayText({ scope, measure, bound }: Excess): string {
  return `${scopeText(scope)} may have at most ${amountText(measure, bound)}`;
}

function askedText({ measure, asked }: Excess): string {
  return amountText(measure, asked);
}

function positionText(position: number): string {
  if (position <= EXACT_POSITIONS) return `at position ${String(position)}`;
  const others = Math.floor((position - 1) / EXACT_POSITIONS) * EXACT_POSITIONS;
  return `behind ${String(others)} others or more`;
}
