import { AGENT_LENGTH } from '../../engine/context-length.ts';

/** The facts about a model by which an agent can or can not work with it. Lengths are in tokens. */
export interface AgentFacts {
  model: string;
  contextLength: number;
  trainedContextLength: number;
  tools: boolean;
}

/** Returns the problems that an agent will have with the model, each with its remedy. */
export function agentWarnings({ model, contextLength, trainedContextLength, tools }: AgentFacts): string[] {
  const warnings: string[] = [];
  if (contextLength < AGENT_LENGTH) {
    const mend =
      trainedContextLength >= AGENT_LENGTH
        ? `start the server with --ctx-len ${AGENT_LENGTH}`
        : `it was trained with ${trainedContextLength}: take another model`;
    warnings.push(`The window of ${model} is ${contextLength} tokens, and agents need ${AGENT_LENGTH}: ${mend}.`);
  }
  if (!tools) {
    warnings.push(
      `The template of ${model} shows no tools to the model. It gets them as text and often calls none: take a model with "tools" in paddock show.`,
    );
  }
  return warnings;
}
