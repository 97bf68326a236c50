package proc

// guardVariable marks a guard's own environment: a binary that does not know
// "guard" would start itself for ever. Commands do not see it.
const guardVariable = "ACP_LS_GUARD"
