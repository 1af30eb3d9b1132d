int get_largest(void);
void raise_largest(int value);
