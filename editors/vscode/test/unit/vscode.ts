/** Stands for VS Code in tests that need none of it. */
export {};
